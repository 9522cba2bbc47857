// promise: bodies.cost
import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { costProblem, type Grown } from "../harness/cpu-cost.ts";
import { postHttp2 } from "../harness/http2-client.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { BEARER_SECRET, SIGNING_SECRET } from "../harness/login-hook.ts";
import { trusting } from "../harness/trusted-proxies.ts";

// What a stranger sends may cost no more than its length: a header of 60,000 blanks once kept the process busy for seconds.

/** Below HTTP/1.1's limit of a head, with room for the others. */
const CHARS = 14_000;
/** More than is accepted. A head that is refused is read, too. */
const CHARS_OVER_HTTP2 = 60_000;

const PIECES = [
  ...[" ", "\t", ",", ";", "=", ".", "-", '"', '\\"', "\\", "%", "%20", "a", "a.", "0", "a, ", "a;", "x=", ": "],
  ...["Bearer ", "[:", "::"],
];
const AROUND = [
  ["", ""],
  ["x", "x"],
  ["bearer ", "!"],
  ["for=1.1.1.1;", "x"],
  ['v1,"', "="],
  ["t=<now>,v1=00,", "v1=0"],
] as const;
const VERIFY = "/api/v1/auth/verify";
const CHECK = "/auth/check";
const HOOK = "/api/v1/identity/claims";
const GITHUB = "/api/v1/api-keys/report-leak/github";
/** Each header that the service reads, on a path where it does. */
const HEADERS: Readonly<Record<string, string>> = {
  authorization: VERIFY,
  "x-api-key": VERIFY,
  "x-on-behalf-of": VERIFY,
  dpop: VERIFY,
  "x-forwarded-for": VERIFY,
  forwarded: VERIFY,
  "x-forwarded-method": CHECK,
  "x-forwarded-proto": CHECK,
  "x-forwarded-host": CHECK,
  "x-forwarded-uri": CHECK,
  "x-original-method": CHECK,
  "x-original-url": CHECK,
  "x-request-id": VERIFY,
  "idempotency-key": "/api/v1/webhooks/create",
  traceparent: VERIFY,
  tracestate: VERIFY,
  origin: VERIFY,
  "sec-fetch-site": VERIFY,
  "content-type": VERIFY,
  "content-encoding": VERIFY,
  accept: VERIFY,
  "connect-timeout-ms": VERIFY,
  "connect-protocol-version": VERIFY,
  "grpc-timeout": VERIFY,
  "grpc-encoding": VERIFY,
  "accept-encoding": "/console",
  "if-none-match": "/openapi.json",
  "access-control-request-method": VERIFY,
  "access-control-request-headers": VERIFY,
  "webhook-id": HOOK,
  "webhook-timestamp": HOOK,
  "webhook-signature": HOOK,
  "zitadel-signature": HOOK,
  "github-public-key-identifier": GITHUB,
  "github-public-key-signature": GITHUB,
};
/** Without which others are not read. `<now>` is the time in seconds. */
const BESIDE: Readonly<Record<string, Record<string, string>>> = {
  [CHECK]: { dpop: "a.b.c" },
  [HOOK]: { "webhook-id": "msg_1", "webhook-timestamp": "<now>", "webhook-signature": "v1,AAAA" },
};
/** Names that stand in the sources of the transport and are read by Node alone, or only written. */
const NOT_READ: readonly string[] = [
  ...["host", "connection", "expect", "content-length", "transfer-encoding", "keep-alive"],
  ...["cache-control", "content-security-policy", "cross-origin-opener-policy", "cross-origin-resource-policy"],
  ...["permissions-policy", "referrer-policy", "retry-after", "www-authenticate", "x-content-type-options"],
  ...["access-control-allow-headers", "access-control-allow-methods", "access-control-allow-origin"],
  ...["access-control-expose-headers", "access-control-max-age", "grpc-accept-encoding", "grpc-message"],
  ...["grpc-status", "grpc-retry-pushback-ms"],
  ...["x-auth-caller", "x-auth-denial", "x-auth-denial-reason", "x-auth-key-id", "x-auth-permissions"],
  ...["x-auth-tenant-id", "x-auth-token-id", "x-auth-user-id", "x-latchkey-version"],
  ...["x-auth-acting-for", "x-auth-external-id", "x-auth-metadata"],
  ...["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
  // No headers.
  ...["utf-8", "no-store", "no-cache", "no-referrer", "same-origin", "lru-cache", "prom-client"],
];

let latchkey: Latchkey;
let key: string;

beforeAll(async () => {
  latchkey = await startLatchkey({
    config: {
      ...{ trustedProxies: trusting(["127.0.0.1"]), identityHookSecrets: [BEARER_SECRET, SIGNING_SECRET] },
      // Fetched with the first signature of a known form only; none of these has one.
      githubKeysUrl: "http://127.0.0.1:9/",
    },
  });
  key = (await dashboardOf(latchkey).createKey({ permissions: ["*"] })).key;
  // Compiled and connected before anything is measured.
  for (let n = 0; n < 20; n++) await send(VERIFY, {});
});

afterAll(() => latchkey.close());

async function send(path: string, headers: Record<string, string>): Promise<void> {
  const method = path.startsWith("/api") ? "POST" : "GET";
  const sent = { "content-type": "application/json", "x-api-key": key, ...BESIDE[path], ...headers };
  const now = String(Math.floor(latchkey.clock.now().getTime() / 1_000));
  const init = {
    method,
    headers: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, value.replace("<now>", now)])),
  };
  await (await fetch(latchkey.url + path, method === "POST" ? { ...init, body: "{}" } : init)).arrayBuffer();
}

const SORTS = PIECES.flatMap((piece) =>
  AROUND.map(([before, after]): [string, Grown<string>] => [
    `${before}${piece} ...${after}`,
    (chars) => before + piece.repeat(chars / piece.length) + after,
  ]),
);

async function problemsOf(chars: number, sendValue: (value: string) => Promise<unknown>): Promise<string[]> {
  const problems: string[] = [];
  for (const [sort, grown] of SORTS) {
    const problem = await costProblem(grown, chars, sendValue);
    if (problem !== undefined) problems.push(`${sort} ${problem}`);
  }
  return problems;
}

// threat: K8, Q2, H16
test.each(Object.entries(HEADERS))("%s costs its length at most", async (name, path) => {
  expect(await problemsOf(CHARS, (value) => send(path, { [name]: value }))).toEqual([]);
});

test.each(Object.keys(HEADERS))("%s costs its length at most in a head that HTTP/2 refuses", async (name) => {
  const sendValue = (value: string) => postHttp2(latchkey.url, VERIFY, {}, { [name]: value }).catch(() => {});
  expect(await problemsOf(CHARS_OVER_HTTP2, sendValue)).toEqual([]);
});

test("as many headers as there may be of a name, or of different ones, cost their length at most", async () => {
  const lines: Readonly<Record<string, (n: number) => [string, string]>> = {
    different: (n) => [`x-n${n}`, "v"],
    ...Object.fromEntries(Object.keys(HEADERS).map((name) => [name, () => [name, "a"]])),
  };
  for (const [what, line] of Object.entries(lines)) {
    const grown = (count: number) => Array.from({ length: count }, (_, n) => line(n)) as [string, string][];
    const problem = await costProblem(grown, 900, async (fields) => {
      await (
        await fetch(latchkey.url + VERIFY, { method: "POST", headers: fields, body: "{}" }).catch(() => undefined)
      )?.arrayBuffer();
    });
    expect(problem, what).toBeUndefined();
  }
});

/** Names of headers are written in lower case, or as a member of Node's `headers`. */
const NAME =
  /(?<=["'`])(?:[a-z][a-z0-9]*(?:-[a-z0-9]+)+|authorization|forwarded|origin|accept|traceparent|tracestate|dpop|cookie|host|te|expect|upgrade|connection|range)(?=["'`])|(?<=\bheaders\.)(?:accept|authorization|connection|cookie|expect|forwarded|host|origin|range|te|upgrade)\b/g;

// threat: Q2
test("every header whose name stands in the sources of the transport is among them, or read by no code of ours", () => {
  const files = globSync(["src/transport/**/*.ts", "src/interceptors/**/*.ts"], { exclude: ["**/*.test.ts"] });
  expect(files.length).toBeGreaterThan(50);
  const named = new Set(files.flatMap((path) => readFileSync(path, "utf8").match(NAME) ?? []));
  const listed = [...Object.keys(HEADERS), ...NOT_READ];
  expect([...named].filter((name) => !listed.includes(name))).toEqual([]);
});
