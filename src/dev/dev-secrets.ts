import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

const SECRET = /^[0-9a-f]{64}$/;

/**
 * The operator's token of `npm run dev`, which is stored in `dir` and the same at each start: random, so that it is of no
 * use elsewhere, and in a file that only its owner can read. Only a service that `refuseExposure` admits accepts it.
 */
export function devOperatorToken(dir: string): Promise<string> {
  return storedSecret(join(dir, "operator-token"));
}

/** The same for `TOKEN_SECRET`, which must decrypt the signing keys of the start before. */
export function devTokenSecret(dir: string): Promise<string> {
  return storedSecret(join(dir, "token-secret"));
}

async function storedSecret(path: string): Promise<string> {
  const stored = await readFile(path, "utf8").catch(() => "");
  if (SECRET.test(stored)) return stored;
  const secret = randomBytes(32).toString("hex");
  const beside = `${path}.${process.pid}`;
  // A file that is there already would keep its mode.
  await writeFile(beside, secret, { mode: 0o600 });
  await rename(beside, path);
  return secret;
}
