// promise: paths.both
import { fromBinary, fromJson, toBinary, toJsonString } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { callGrpcWeb, type GrpcWebAnswer } from "../harness/grpc-web.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { RPCS, type Rpc } from "../harness/rpcs.ts";

const latchkey = await sharedLatchkey();
const dashboard = await latchkey.dashboard();
const key = await latchkey.createKey(dashboard, { permissions: ["*"] });
const revoked = await latchkey.createKey(dashboard);
await latchkey.call("/api/v1/api-keys/revoke", { key_id: revoked.key_id }, dashboard);

type Format = "json" | "proto";

interface Sent {
  readonly rpc: Rpc;
  readonly format: Format;
  readonly body: string | Uint8Array;
  readonly headers: Record<string, string>;
}

/** The headers of an answer that do not depend on its protocol, nor on the instant. */
const COMPARED = [
  ...["x-ratelimit-limit", "x-ratelimit-remaining", "retry-after", "cache-control", "x-content-type-options"],
  ...["access-control-allow-origin", "access-control-expose-headers"],
];

function headersOf(headers: Headers) {
  return COMPARED.map((name) => [name, headers.get(name)]);
}

/** The answer to a plain call, without what differs between any two: ids, secrets, instants, and a use stored in between. */
async function leanAnswer({ rpc, format, body, headers }: Sent, path: string) {
  const response = await fetch(latchkey.url + path, {
    method: "POST",
    headers: { "content-type": `application/${format}`, ...headers },
    body: typeof body === "string" ? body : Buffer.from(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get("content-length")).toBe(String(bytes.byteLength));
  const result = response.ok ? textOf(rpc, format, bytes) : comparableError(JSON.parse(bytes.toString()));
  return { headers: headersOf(response.headers), result };
}

/** The answer to the same message through Connect's handler. */
async function connectAnswer({ rpc, format, body, headers }: Sent) {
  const answer = await callGrpcWeb(latchkey.url, rpc.procedure, format, body, headers);
  const result = answer.error === undefined ? textOf(rpc, format, answer.message) : comparableError(answer.error);
  return { headers: headersOf(answer.headers), result };
}

function textOf({ procedure }: Rpc, format: Format, bytes: Uint8Array): string {
  const { output } = methodOf(procedure);
  return comparable(format === "json" ? bytes.toString() : toJsonString(output, fromBinary(output, bytes)));
}

function comparableError({ code, message = "", details = [] }: NonNullable<GrpcWebAnswer["error"]>) {
  return { code, message: comparable(message), details: details.map(({ type }) => type) };
}

function comparable(text: string): string {
  return (
    text
      .replace(/\b(key|org|ten|run|msg|thr|req|aud|whk|whd|evt|tok)_[0-9a-f]{32}/g, "$1_")
      .replace(/\b[sp]k_[0-9A-Za-z]{4,}/g, "sk_")
      .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "JWT")
      .replace(/whsec_[0-9A-Za-z+/]+=*/g, "whsec_")
      .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "T")
      .replace(/,"last_used_at":"T"/g, "")
      // What requests before these have counted is stored meanwhile.
      .replace(/"((?:total|successful|failed)_verifications|successful|denied)":(?:\d+|\{[^}]*\})/g, '"$1":_')
      .replace(/"(total|details|value)":("[^"]*"|\d+|\[[^\]]*\])/g, '"$1":_')
  );
}

async function expectSame(sent: Sent, path = sent.rpc.path): Promise<void> {
  const [lean, connect] = [await leanAnswer(sent, path), await connectAnswer(sent)];
  expect(lean).toEqual(connect);
}

function methodOf(procedure: string) {
  const [service, name] = procedure.slice(1).split("/");
  const method = SERVICES.find(({ typeName }) => typeName === service)?.methods.find((each) => each.name === name);
  if (method === undefined) throw new Error(`no such RPC: ${procedure}`);
  return method;
}

/** Credentials that lead to every kind of decision. */
function credentials(): Record<string, Record<string, string>> {
  return {
    "a dashboard user": dashboard,
    "the operator": OPERATOR,
    "a secret key": { "x-api-key": key.key },
    "a revoked key": { "x-api-key": revoked.key },
    "a malformed key": { "x-api-key": "sk_nonsense" },
    "two headers": { "x-api-key": `${key.key}, ${key.key}` },
    "a broken token": { authorization: "Bearer x.y.z" },
    "a user acted for": { "x-api-key": key.key, "x-on-behalf-of": "u1" },
    "a bad user acted for": { "x-api-key": key.key, "x-on-behalf-of": "a,b" },
    none: {},
  };
}

/** Bodies that no RPC takes, and some that a few do. */
const BODIES = [
  "",
  " ",
  "{}",
  "null",
  "[]",
  "5",
  "{",
  '{"a":1}',
  '{"key_id":"x","key_id":"y"}',
  '{"key_id":5}',
  '{"key_id":""}',
  '{"key_id":"\\u0000"}',
  '{"key_id":"\\ud800"}',
  '{"name":"x","permissions":["plans:reed"]}',
  '{"page":-1}',
  '{"page":1.5}',
  '{"scope":"nope"}',
  '{"conversation_key":"","user_message":{}}',
  '{"expires_at":"2026-02-30T00:00:00Z"}',
  `{"name":"${"x".repeat(2_000)}"}`,
  "\ufeff{}",
];

/** Waits until no reply is under way: it would show in one of two answers. */
async function untilIdle(): Promise<void> {
  const body = { conversation_key: "common", wait_ms: 20_000 };
  for (const headers of Object.values(credentials())) {
    let isBusy = true;
    while (isBusy) {
      const { status, json } = await latchkey.call("/api/v1/llm/gateway/get-conversation-state", body, headers);
      isBusy = status === 200 && json.status !== "CONVERSATION_STATUS_IDLE";
    }
  }
}

// threat: K16
describe.each(RPCS)("$path is answered the same on the lean path and through Connect", (rpc) => {
  // RPCs before this one have sent messages to the conversation that is read here.
  beforeAll(untilIdle, 120_000);

  test("for every kind of caller", async () => {
    const body = JSON.stringify(rpc.body("key_none"));
    for (const headers of Object.values(credentials())) {
      for (const path of [rpc.path, rpc.procedure]) {
        await expectSame({ rpc, format: "json", body, headers }, path);
      }
    }
  });

  test("for bodies in JSON of every kind, good and bad", async () => {
    for (const headers of [dashboard, { "x-api-key": key.key }, OPERATOR]) {
      for (const body of BODIES) await expectSame({ rpc, format: "json", body, headers });
    }
  });

  test("for messages in binary, good and bad", async () => {
    const schema = methodOf(rpc.procedure).input;
    const good = toBinary(schema, fromJson(schema, rpc.body("key_none") as never));
    // The first field of most requests is a string.
    const withNul = Buffer.from("\n\u0003a\0b", "latin1");
    const bodies = [good, good.subarray(0, Math.max(0, good.length - 1)), withNul, Buffer.from("{}"), new Uint8Array()];
    for (const headers of [dashboard, { "x-api-key": key.key }, OPERATOR, {}]) {
      for (const body of bodies) await expectSame({ rpc, format: "proto", body, headers });
    }
  });

  test("for a body that is too large", async () => {
    await expectSame({
      rpc,
      format: "json",
      body: JSON.stringify({ name: "x".repeat(1_100_000) }),
      headers: dashboard,
    });
  });
});

test("beyond the limit both give the same answer", async () => {
  const rate_limit = { requests_per_minute: 1 };
  const limited = await latchkey.createKey(dashboard, { permissions: ["*"], rate_limit });
  const rpc = RPCS.find(({ path }) => path === "/api/v1/auth/verify");
  if (rpc === undefined) throw new Error("no verify");
  const sent: Sent = { rpc, format: "json", body: "{}", headers: { "x-api-key": limited.key } };
  await leanAnswer(sent, rpc.path);
  await expectSame(sent);
});

test.each<[string, number, Record<string, string>]>([
  ["a time limit that is not one", 400, { "connect-timeout-ms": "abc" }],
  ["a charset other than UTF-8", 415, { "content-type": "application/json; charset=utf-16" }],
  ["compression", 415, { "content-encoding": "gzip" }],
])("a request for %s is rejected with %i", async (_, status, headers) => {
  const response = await fetch(`${latchkey.url}/api/v1/auth/verify`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key.key, ...headers },
    body: "{}",
  });
  expect(response.status).toBe(status);
});
