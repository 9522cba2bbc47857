import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JWK } from "jose";
import { codeOf } from "../domain/error-code.ts";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";

/**
 * Starts the provider with the signing key and port of the last start, which are stored in `dir`. So tokens stay valid for
 * the rest of their hour, and publishable keys, whose `jwksUrl` contains the port, for as long as the data.
 */
export async function startPersistentProvider(dir: string, warn: (text: string) => void): Promise<IdentityProvider> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const signingKey = await loadSigningKey(join(dir, "signing-key.json"));
  const portFile = join(dir, "provider-port");
  const port = Number(await readIfThere(portFile));
  if (Number.isInteger(port) && port > 0 && port <= 65_535) {
    try {
      return await startIdentityProvider(signingKey, undefined, port);
    } catch (err) {
      if (codeOf(err) !== "EADDRINUSE") throw err;
      warn(
        `port ${port}, of the identity provider, is in use: publishable keys of earlier starts are answered verifier_error until you stop the other process and start anew`,
      );
      return startIdentityProvider(signingKey);
    }
  }
  const provider = await startIdentityProvider(signingKey);
  await writeFile(portFile, new URL(provider.jwksUrl).port);
  return provider;
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
