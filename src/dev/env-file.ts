import { rename, writeFile } from "node:fs/promises";

/** Writes exports for a shell to read, over those of the last start. The file holds credentials, so it is its owner's alone. */
export async function writeEnvFile(path: string, values: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(values).map(([name, value]) => `export ${name}='${value}'\n`);
  const beside = `${path}.${process.pid}`;
  // A file that is there already would keep its mode.
  await writeFile(beside, lines.join(""), { mode: 0o600 });
  await rename(beside, path);
}
