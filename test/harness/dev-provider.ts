import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../servers/free-port.ts";

/**
 * Has the provider of `npm run dev` in a folder listen where nothing else does by chance between two starts. By itself it keeps the
 * port that the system gave it first, which another connection may have when it is started again.
 */
export async function chooseProviderPort(cwd: string): Promise<void> {
  const dir = join(cwd, ".latchkey/dev");
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeFile(join(dir, "provider-port"), String(await freePort()));
}
