import { existsSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Command } from "commander";
import { addCommand, type Invocation, type Surroundings } from "../command.ts";
import { UsageError } from "../exit-status.ts";
import { exportedPages } from "../import/exported-pages.ts";
import { untilInterrupted } from "../interruption.ts";
import { groupOf } from "./groups.ts";

/** `latchkey keys export`: the keys of all tenants with their hashes, for another deployment or system. */
export function addKeyExport(program: Command, around: Surroundings): void {
  const description =
    "as the operator, write all keys with their hashes as NDJSON to a new file (default: stdout), for keys import --from latchkey";
  addCommand(groupOf(program, ["keys"]), "export [file]", description, around, exportKeys);
}

async function exportKeys(run: Invocation<object>): Promise<void> {
  const client = await run.client("operator");
  const [path] = run.args;
  const file = path === undefined ? undefined : await createExport(path);
  let keys = 0;
  try {
    await untilInterrupted(async (signal) => {
      for await (const page of exportedPages(client, signal)) {
        const lines = page.map((key) => JSON.stringify(key));
        if (file === undefined) for (const [index, key] of page.entries()) run.show(key, lines[index] ?? "");
        else await file.write(lines);
        keys += page.length;
        run.progress(`${keys} keys`);
      }
    });
    await file?.complete();
  } finally {
    run.progress("");
    await file?.discard();
  }
  if (path === undefined) run.note(`${keys} keys.`);
  else run.show({ keys, file: path }, `Wrote ${keys} keys to ${path}.`);
}

interface Export {
  write(lines: readonly string[]): Promise<void>;
  /** Gives the file its name. */
  complete(): Promise<void>;
  /** Removes the file, unless it is complete. */
  discard(): Promise<void>;
}

/** A file for its owner only. It gets its name when it has all keys: a part of an export is never taken for the whole. */
async function createExport(path: string): Promise<Export> {
  if (existsSync(path)) throw new UsageError(`${path} is there already; name a new file`);
  const part = `${path}.part`;
  rmSync(part, { force: true });
  const file: FileHandle = await open(part, "wx", 0o600).catch((err: unknown) => {
    const code = err instanceof Error && "code" in err ? String(err.code) : "";
    throw new UsageError(`${part} cannot be made (${code})`);
  });
  return {
    write: (lines) => file.appendFile(lines.map((line) => `${line}\n`).join("")),
    async complete() {
      await file.sync();
      renameSync(part, path);
    },
    async discard() {
      await file.close();
      rmSync(part, { force: true });
    },
  };
}
