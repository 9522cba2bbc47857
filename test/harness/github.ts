import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer } from "node:http";
import { boundTo } from "../../src/transport/http/server.ts";
import { type Answer, post } from "./http.ts";
import type { Latchkey } from "./latchkey.ts";

export const GITHUB_LEAKS = "/api/v1/api-keys/report-leak/github";

/** A key pair with its identifier, as GitHub has them. */
export interface ScannerKey {
  readonly identifier: string;
  readonly privateKey: KeyObject;
  readonly pem: string;
}

export function newScannerKey(identifier: string, curve = "P-256"): ScannerKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: curve });
  return { identifier, privateKey, pem: String(publicKey.export({ type: "spki", format: "pem" })) };
}

/** The HTTP server where GitHub publishes its keys. */
export interface GithubKeyServer {
  readonly url: string;
  /** How often the keys were fetched. */
  fetches: number;
  /** What it publishes. */
  keys: readonly ScannerKey[];
  /** Instead of the keys: a status and a body. */
  broken: { readonly status: number; readonly body: string } | undefined;
  close(): Promise<void>;
}

export async function startGithubKeyServer(keys: readonly ScannerKey[]): Promise<GithubKeyServer> {
  const server = createServer((_req, res) => {
    github.fetches += 1;
    const published = github.keys.map(({ identifier, pem }) => ({
      key_identifier: identifier,
      key: pem,
      is_current: true,
    }));
    const { status, body } = github.broken ?? { status: 200, body: JSON.stringify({ public_keys: published }) };
    res.writeHead(status, { "Content-Type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const github: GithubKeyServer = {
    url: `http://127.0.0.1:${boundTo(server).port}/meta/public_keys/secret_scanning`,
    fetches: 0,
    keys,
    broken: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return github;
}

/** The headers that sign a body. */
export function signedBy({ identifier, privateKey }: ScannerKey, body: string): Record<string, string> {
  return {
    "github-public-key-identifier": identifier,
    "github-public-key-signature": sign("sha256", Buffer.from(body), privateKey).toString("base64"),
  };
}

/** Sends a body as GitHub does. */
export function sendMatches(
  latchkey: Pick<Latchkey, "url">,
  matches: unknown,
  key: ScannerKey,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = typeof matches === "string" ? matches : JSON.stringify(matches);
  return post(latchkey.url, GITHUB_LEAKS, body, { ...signedBy(key, body), ...headers });
}
