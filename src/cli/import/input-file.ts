import { open } from "node:fs/promises";
import { UsageError } from "../exit-status.ts";

const PIECE_BYTES = 262_144;

/** A file to read, or stdin for `-`. */
export interface InputFile {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** When the file was last changed. Of stdin: now. */
  readonly changedAt: Date;
}

/** Throws `UsageError` if there is no such file. */
export async function openInput(path: string): Promise<InputFile> {
  if (path === "-") return { pieces: process.stdin, changedAt: new Date() };
  try {
    const file = await open(path);
    const stat = await file.stat();
    if (stat.isDirectory()) throw new UsageError(`${path} is a folder`);
    return { pieces: file.createReadStream({ highWaterMark: PIECE_BYTES }), changedAt: stat.mtime };
  } catch (err) {
    if (err instanceof UsageError || !(err instanceof Error && "code" in err)) throw err;
    throw new UsageError(`${path} cannot be read (${String(err.code)})`);
  }
}
