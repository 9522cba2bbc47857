import { readFile, rename, writeFile } from "node:fs/promises";

/** Values by name. Undefined: a shell that has one of an earlier start must forget it. */
export type Exports = Readonly<Record<string, string | undefined>>;

/** Writes exports for a shell to read, over those of the last start. The file holds credentials, so only its owner can read it. */
export async function writeEnvFile(path: string, values: Exports): Promise<void> {
  const lines = Object.entries(values).map(([name, value]) =>
    value === undefined ? `unset ${name}\n` : `export ${name}='${value}'\n`,
  );
  const beside = `${path}.${process.pid}`;
  // A file that is there already would keep its mode.
  await writeFile(beside, lines.join(""), { mode: 0o600 });
  await rename(beside, path);
}

/** The exports of the last start; empty at the first one. */
export async function readEnvFile(path: string): Promise<Exports> {
  const text = await readFile(path, "utf8").catch(() => "");
  return Object.fromEntries([...text.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name = "", value]) => [name, value]));
}
