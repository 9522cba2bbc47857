import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

const TOKEN_FILE = "operator-token";
const TOKEN = /^[0-9a-f]{64}$/;

/**
 * The operator's token of `npm run dev`, which is stored in `dir` and the same at each start: random, so that it is of no
 * use elsewhere, and in a file that is its owner's alone. Only a service that `refuseExposure` admits accepts it.
 */
export async function devOperatorToken(dir: string): Promise<string> {
  const path = join(dir, TOKEN_FILE);
  const stored = await readFile(path, "utf8").catch(() => "");
  if (TOKEN.test(stored)) return stored;
  const token = randomBytes(32).toString("hex");
  const beside = `${path}.${process.pid}`;
  // A file that is there already would keep its mode.
  await writeFile(beside, token, { mode: 0o600 });
  await rename(beside, path);
  return token;
}
