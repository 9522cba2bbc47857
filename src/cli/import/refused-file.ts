import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { UsageError } from "../exit-status.ts";

/** A file of lines, for its owner only. It is made before anything is sent, and goes if it stays empty. */
export interface RefusedFile {
  readonly path: string;
  /** Writes whole lines. */
  write(lines: readonly string[]): void;
  close(): void;
}

/** Throws `UsageError` if there is such a file, or it cannot be made: no refused row is ever overwritten. */
export function createRefusedFile(path: string): RefusedFile {
  const file = opened(path);
  let isEmpty = true;
  return {
    path,
    write(lines) {
      if (lines.length === 0) return;
      isEmpty = false;
      writeSync(file, `${lines.join("\n")}\n`);
    },
    close() {
      closeSync(file);
      if (isEmpty) rmSync(path);
    },
  };
}

/** In the working directory: `keys.csv.refused.ndjson`, or the first of `.refused-2`, `.refused-3` ... that is free. */
export function freeRefusedPath(input: string): string {
  const name = input === "-" ? "stdin" : basename(input);
  for (let n = 1; ; n++) {
    const path = `${name}.refused${n === 1 ? "" : `-${n}`}.ndjson`;
    if (!existsSync(path)) return path;
  }
}

function opened(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (err) {
    const code = err instanceof Error && "code" in err ? String(err.code) : "";
    const problem = code === "EEXIST" ? "is there already" : `cannot be made (${code})`;
    throw new UsageError(`The file of refused rows, ${path}, ${problem}; name another one with --refused-file`);
  }
}
