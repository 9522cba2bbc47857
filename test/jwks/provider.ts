import { constants, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { afterEach } from "vitest";
import type { Claims, TokenExpectation } from "../../src/domain/tokens/claims.ts";
import { Denial, type DenialReason } from "../../src/domain/vocabulary/denial.ts";
import type { SafeFetchOptions } from "../../src/store/jwks/safe-fetch.ts";
import { createTokenVerifier } from "../../src/store/jwks/token-verifier.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** The algorithms of users' tokens that are accepted (docs/promises.md). */
export const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** The instant at which tests begin, in ms and in the seconds of a token. */
const START_MS = Date.parse("2026-03-01T12:00:00Z");
export const START_S = START_MS / 1_000;
export const ISSUER = "https://idp.example";
const AUDIENCE = "app";

/** A key pair with the members that its public half is published with. */
export interface SigningKey {
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly jwk: Record<string, unknown>;
}

const toClose: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
});

export function closeAfterTest(close: () => Promise<unknown> | unknown): void {
  toClose.push(close);
}

export function generateKey(alg: string, members: Record<string, unknown> = { kid: "k1" }): SigningKey {
  const { privateKey, publicKey } = keyPair(alg);
  return { alg, privateKey, jwk: { ...publicKey.export({ format: "jwk" }), ...members } };
}

export function rsaKey(modulusLength: number, publicExponent = 65_537): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength, publicExponent });
  return { alg: "RS256", privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid: "k1" } };
}

/** Signs any header and any payload, also what no library would sign. Strings and bytes are taken as they are. */
export function signToken(
  key: SigningKey,
  payload: Record<string, unknown> | string | Uint8Array = validClaims(),
  header: Record<string, unknown> | string | Uint8Array = { alg: key.alg, kid: key.jwk.kid, typ: "JWT" },
): string {
  const input = `${encodePart(header)}.${encodePart(payload)}`;
  return `${input}.${signature(key, input).toString("base64url")}`;
}

export function encodePart(part: Record<string, unknown> | string | Uint8Array): string {
  const isText = typeof part === "string" || part instanceof Uint8Array;
  return Buffer.from(isText ? part : JSON.stringify(part)).toString("base64url");
}

export function validClaims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { iss: ISSUER, aud: AUDIENCE, sub: "user_1", iat: START_S, exp: START_S + 86_400, ...changes };
}

/** A key server on loopback. What it answers can be changed at any time; it counts its requests. */
export interface KeyServer {
  readonly url: string;
  readonly host: string;
  requests: number;
  respond: RequestListener;
  /** Publishes these members of `keys`. */
  publish(...keys: readonly unknown[]): void;
  stop(): Promise<void>;
}

export async function startKeyServer(...keys: readonly unknown[]): Promise<KeyServer> {
  const server = createServer((req, res) => {
    keyServer.requests++;
    keyServer.respond(req, res);
  });
  const host = `127.0.0.1:${await listenOnLoopback(server)}`;
  const keyServer: KeyServer = {
    url: `http://${host}/jwks.json`,
    host,
    requests: 0,
    respond: () => {},
    publish(...published) {
      this.respond = (_req, res) => res.end(JSON.stringify({ keys: published }));
    },
    stop: () => closeAll(server),
  };
  keyServer.publish(...keys);
  closeAfterTest(() => keyServer.stop());
  return keyServer;
}

/** A listener to which no connection may be made. */
export interface Canary {
  readonly port: number;
  connections: number;
  close(): Promise<void>;
}

export async function openCanary(): Promise<Canary> {
  const server = createTcpServer((socket) => {
    canary.connections++;
    socket.destroy();
  });
  const canary: Canary = {
    port: await listenOnLoopback(server),
    connections: 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return canary;
}

/** A canary that is closed after the test. */
export async function startCanary(): Promise<Canary> {
  const canary = await openCanary();
  closeAfterTest(canary.close);
  return canary;
}

/** A verifier on clocks of its own, which stand still until a test moves them. */
export function startVerifier(options: {
  allowed?: readonly string[];
  fetch?: Omit<SafeFetchOptions, "allowedHosts">;
}) {
  let nowMs = START_MS;
  let monotonicMs = 0;
  const problems: (string | undefined)[] = [];
  const verifier = createTokenVerifier({
    clock: () => new Date(nowMs),
    monotonicMs: () => monotonicMs,
    jwksAllowedHosts: options.allowed ?? [],
    onKeySetChange: ({ problem }) => void problems.push(problem),
    ...(options.fetch && { fetch: options.fetch }),
  });
  closeAfterTest(() => verifier.close());
  return {
    verifier,
    /** Each change of a key set between failing and not. */
    problems,
    /** Lets time pass. */
    advance(ms: number) {
      nowMs += ms;
      monotonicMs += ms;
    },
    /** Sets the wall clock back, without any time passing. */
    setBack(ms: number) {
      nowMs -= ms;
    },
    /** The claims of an accepted token, or why it was refused. Anything but a denial is an internal fault and thrown. */
    async checkToken(token: string, expected: Partial<TokenExpectation>): Promise<Claims | DenialReason> {
      try {
        return await verifier.verify(token, {
          issuer: ISSUER,
          audience: AUDIENCE,
          jwksUrl: "",
          jwksOwner: { kind: "tenant", tenantId: "ten_1" },
          ...expected,
        });
      } catch (err) {
        if (err instanceof Denial) return err.reason;
        throw err;
      }
    },
  };
}

/** One provider with these keys, and a verifier that may fetch from it. */
export async function startProvider(...keys: readonly SigningKey[]) {
  const server = await startKeyServer(...keys.map((key) => key.jwk));
  const { checkToken, ...rest } = startVerifier({ allowed: [server.host] });
  return {
    ...rest,
    server,
    checkToken: (token: string, expected: Partial<TokenExpectation> = {}) =>
      checkToken(token, { jwksUrl: server.url, ...expected }),
  };
}

function keyPair(alg: string): { privateKey: KeyObject; publicKey: KeyObject } {
  switch (alg) {
    case "ES256":
      return generateKeyPairSync("ec", { namedCurve: "P-256" });
    case "ES384":
      return generateKeyPairSync("ec", { namedCurve: "P-384" });
    case "ES512":
      return generateKeyPairSync("ec", { namedCurve: "P-521" });
    case "EdDSA":
    case "Ed25519":
      return generateKeyPairSync("ed25519");
    default:
      return generateKeyPairSync("rsa", { modulusLength: 2_048 });
  }
}

function signature({ alg, privateKey }: SigningKey, input: string): Buffer {
  const data = Buffer.from(input);
  if (alg.startsWith("Ed")) return sign(null, data, privateKey);
  const hash = `sha${alg.slice(2)}`;
  if (alg.startsWith("ES")) return sign(hash, data, { key: privateKey, dsaEncoding: "ieee-p1363" });
  if (alg.startsWith("RS")) return sign(hash, data, privateKey);
  return sign(hash, data, {
    key: privateKey,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  });
}
