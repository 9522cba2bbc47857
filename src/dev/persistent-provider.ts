import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JWK } from "jose";
import { codeOf } from "../domain/vocabulary/error-code.ts";
import { DEV_AUDIENCE, DEV_RESOURCE, type IdentityProvider } from "./identity-provider.ts";
import { type SignInOptions, startSignInProvider } from "./sign-in-provider.ts";
import { createTokenSigner, generateSigningKey, type SignToken } from "./token-signer.ts";

const SIGNING_KEY_FILE = "signing-key.json";
const PORT_FILE = "provider-port";

/**
 * Starts the provider with the signing key and port of the last start, which are stored in `dir`. So tokens stay valid for
 * the rest of their hour, and publishable keys, whose `jwksUrl` contains the port, for as long as the data.
 */
export async function startPersistentProvider(
  dir: string,
  options: Pick<SignInOptions, "users" | "claimsOf" | "pages" | "redirectUris" | "signedOutUris">,
  warn: (text: string) => void,
): Promise<IdentityProvider> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const signingKey = await loadSigningKey(join(dir, SIGNING_KEY_FILE));
  const start = (port: number) =>
    startSignInProvider({ ...options, signingKey, port, clientId: DEV_AUDIENCE, resources: [DEV_RESOURCE] });
  const portFile = join(dir, PORT_FILE);
  const known = Number(await readIfThere(portFile));
  const isPort = Number.isInteger(known) && known > 0 && known <= 65_535;
  const provider = await start(isPort ? known : 0).catch((err: unknown) => {
    if (codeOf(err) !== "EADDRINUSE") throw err;
    warn(
      `port ${known}, of the identity provider, is in use: publishable keys of earlier starts are answered verifier_error until you stop the other process and start again`,
    );
    return start(0);
  });
  if (!isPort) await writeFile(portFile, new URL(provider.issuer).port);
  return {
    ...provider,
    audience: DEV_AUDIENCE,
    sign: await createTokenSigner(signingKey, provider.issuer, DEV_AUDIENCE),
  };
}

/** Signs as the provider that stores its files in `dir` does, running or not. Undefined if there was none yet. */
export async function storedSigner(dir: string): Promise<SignToken | undefined> {
  const [key, port] = await Promise.all([SIGNING_KEY_FILE, PORT_FILE].map((name) => readIfThere(join(dir, name))));
  if (key === undefined || port === undefined) return undefined;
  return createTokenSigner(JSON.parse(key) as JWK, `http://127.0.0.1:${port}`, DEV_AUDIENCE);
}

async function loadSigningKey(path: string): Promise<JWK> {
  const stored = await readIfThere(path);
  // Our own file, written below.
  if (stored !== undefined) return JSON.parse(stored) as JWK;
  const key = await generateSigningKey();
  await writeFile(path, JSON.stringify(key), { mode: 0o600 });
  return key;
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}
