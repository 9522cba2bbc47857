// promise: bodies.type, callers.key-decides, limits.headers, limits.reported, limits.spend, usage.counts, paths.probes
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { DenialReason, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { GatewayService } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { OrgService } from "../../gen/latchkey/v1/org_service_pb.ts";
import { toAnswer } from "../harness/http.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { SECOND } from "../harness/test-clock.ts";

const LIST = "/api/v1/llm/gateway/list-threads";
const STATE = "/api/v1/llm/gateway/get-conversation-state";

const latchkey = await sharedLatchkey();

interface LimitHeaders {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** The three headers; throws for one that is absent or no whole number. */
function limitOf(headers: Headers): LimitHeaders {
  const number = (name: string): number => {
    const text = headers.get(name) ?? "absent";
    expect(text, name).toMatch(/^\d+$/);
    return Number(text);
  };
  return {
    limit: number("x-ratelimit-limit"),
    remaining: number("x-ratelimit-remaining"),
    resetMs: number("x-ratelimit-reset") * SECOND,
  };
}

async function newKey(fields: object = {}) {
  const dashboard = await latchkey.dashboard();
  const { key, key_id } = await latchkey.createKey(dashboard, { rate_limit: { requests_per_minute: 9 }, ...fields });
  const manage = (method: string, body: object = {}) =>
    latchkey.call(`/api/v1/api-keys/${method}`, { key_id, ...body }, dashboard);
  return { headers: { "x-api-key": key }, manage };
}

describe("over plain JSON, the limit headers", () => {
  // threat: L7
  test("are those of an admitted key on every status, and every request that passes the limiter spends one", async () => {
    const { headers } = await newKey();
    const asText = { ...headers, "content-type": "text/plain" };
    const get = async () => toAnswer(await fetch(latchkey.url + LIST, { headers }));
    const requests = [
      { status: 200, spends: true, send: () => latchkey.call(LIST, {}, headers) },
      { status: 400, spends: true, send: () => latchkey.call(LIST, "[", headers) },
      { status: 400, spends: true, send: () => latchkey.call(STATE, {}, headers) },
      { status: 403, spends: true, send: () => latchkey.call("/api/v1/orgs/create", {}, headers) },
      { status: 404, spends: true, send: () => latchkey.call(STATE, { conversation_key: "none" }, headers) },
      { status: 404, spends: false, send: () => latchkey.call("/no/such/path", {}, headers) },
      { status: 405, spends: false, send: get },
      { status: 413, spends: true, send: () => latchkey.call(LIST, `{"a":"${"x".repeat(1_048_576)}"}`, headers) },
      { status: 415, spends: true, send: () => latchkey.call(LIST, "{}", asText) },
      { status: 200, spends: true, send: () => latchkey.call(LIST, {}, headers) },
    ];
    let remaining = 9;
    for (const { status, spends, send } of requests) {
      const answer = await send();
      if (spends) remaining -= 1;
      expect({ status: answer.status, ...limitOf(answer.headers) }).toMatchObject({ status, limit: 9, remaining });
      expect(answer.headers.has("retry-after")).toBe(false);
    }
    while (remaining-- > 0) await latchkey.call(LIST, {}, headers);
    const denied = await latchkey.call(LIST, {}, headers);
    expect({ status: denied.status, ...limitOf(denied.headers) }).toMatchObject({
      status: 429,
      limit: 9,
      remaining: 0,
    });
    expect(denied.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  });

  test("are on the open services, too, which do not count as a use of the key", async () => {
    const { headers, manage } = await newKey();
    for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"]) {
      const answer = await fetch(latchkey.url + path, { headers });
      await answer.arrayBuffer();
      expect({ status: answer.status, ...limitOf(answer.headers) }).toMatchObject({
        status: 200,
        limit: 9,
        remaining: 9,
      });
    }
    const health = await fetch(`${latchkey.url}/grpc.health.v1.Health/Check`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: "{}",
    });
    await health.arrayBuffer();
    expect({ status: health.status, ...limitOf(health.headers) }).toMatchObject({
      status: 200,
      limit: 9,
      remaining: 9,
    });
    expect((await manage("usage")).json.result.total_verifications).toBe(0);
    expect((await fetch(`${latchkey.url}/healthz`)).headers.has("x-ratelimit-limit")).toBe(false);
  });

  test("are on a request with a wrong path or method, which counts as a failed use", async () => {
    const { headers, manage } = await newKey();
    const asText = { ...headers, "content-type": "text/plain" };
    expect((await latchkey.call("/no/such/path", {}, headers)).status).toBe(404);
    expect((await toAnswer(await fetch(latchkey.url + LIST, { headers }))).status).toBe(405);
    // Authorized like any other: only its body is missing.
    expect((await latchkey.call(LIST, "{}", asText)).status).toBe(415);
    expect((await latchkey.call(LIST, "{}", { ...headers, "content-encoding": "gzip" })).status).toBe(415);
    expect((await manage("usage")).json.result).toEqual({
      total_verifications: 4,
      successful_verifications: 2,
      failed_verifications: 2,
    });
  });

  test.each([
    ["an unknown Expect", 417, `POST ${LIST} HTTP/1.1`, ["Host: x", "Expect: more"]],
    ["a credential named in Connection", 400, `POST ${LIST} HTTP/1.1`, ["Host: x", "Connection: X-API-Key"]],
    ["another transfer coding", 400, `POST ${LIST} HTTP/1.1`, ["Host: x", "Transfer-Encoding: gzip, chunked"]],
    ["a broken Host", 400, `POST ${LIST} HTTP/1.1`, ["Host: a/b"]],
    ["no Host", 400, `POST ${LIST} HTTP/1.1`, []],
    ["another version of HTTP", 505, `POST ${LIST} HTTP/2.0`, ["Host: x"]],
    ["CONNECT", 405, "CONNECT a:80 HTTP/1.1", ["Host: a:80"]],
  ])(
    "are on a request whose head is rejected for %s, which counts as a failed use",
    async (_what, status, line, fields) => {
      const { headers, manage } = await newKey();
      const lines = [line, ...fields, `X-API-Key: ${headers["x-api-key"]}`, "Connection: close", "", ""];
      const answer = await sendRaw(latchkey.url, lines.join("\r\n"));
      const headerOf = (name: string) => new RegExp(`^x-ratelimit-${name}: (\\d+)`, "im").exec(answer)?.[1];
      expect({
        status: Number(answer.slice(9, 12)),
        limit: headerOf("limit"),
        remaining: headerOf("remaining"),
      }).toEqual({
        status,
        limit: "9",
        remaining: "9",
      });
      expect((await manage("usage")).json.result).toMatchObject({ total_verifications: 1, failed_verifications: 1 });
    },
  );

  const other = `GET ${LIST} HTTP/1.1\r\nHost: x\r\n\r\n`;
  test.each([
    ["a chunk without a size", "", "chunked", "zz\r\n", { remaining: "8", successful: 1, failed: 0 }],
    ["a later one", "", "chunked", "2\r\n{}\r\nzz\r\n", { remaining: "8", successful: 1, failed: 0 }],
    ["a chunk behind another request", other, "chunked", "zz\r\n", { remaining: "8", successful: 1, failed: 0 }],
    ["its coding", "", "gzip", "zz\r\n", { remaining: "9", successful: 0, failed: 1 }],
    ["its coding, without a byte of it", "", "gzip", "", { remaining: "9", successful: 0, failed: 1 }],
    ["its coding behind another request", other, "identity", "{}", { remaining: "9", successful: 0, failed: 1 }],
  ])(
    "are on a request whose body is rejected for %s, which is one use and one line in the log",
    async (_what, ...row) => {
      const [before, coding, body, { remaining, successful, failed }] = row;
      const { headers, manage } = await newKey();
      const { key_id } = (await manage("get")).json.result;
      const head = [`POST ${LIST} HTTP/1.1`, "Host: x", "Content-Type: application/json", "X-Request-Id: broken"];
      const fields = [`X-API-Key: ${headers["x-api-key"]}`, `Transfer-Encoding: ${coding}`];
      const known = latchkey.logLines.length;
      const answers = await sendRaw(latchkey.url, before + [...head, ...fields, "", body].join("\r\n"));
      const logged = latchkey.logLines.slice(known).map((line) => JSON.parse(line));
      const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
      expect(statuses).toEqual(before === "" ? [400] : [405, 400]);
      expect(logged.map(({ status }) => status)).toEqual(statuses);
      expect(logged.at(-1)).toMatchObject({ request_id: "broken", key_id });
      const answer = answers.slice(answers.lastIndexOf("HTTP/1.1 "));
      const headerOf = (name: string) => new RegExp(`^x-ratelimit-${name}: (\\d+)`, "im").exec(answer)?.[1];
      expect([headerOf("limit"), headerOf("remaining")]).toEqual(["9", remaining]);
      expect(answer).toMatch(/^connection: close/im);
      expect((await manage("usage")).json.result).toEqual({
        total_verifications: 1,
        successful_verifications: successful,
        failed_verifications: failed,
      });
    },
  );

  test("of a key beside two Authorization headers have its limit: the key is checked first, and nothing is spent", async () => {
    const call = async (secret: string) => {
      const head = [`POST ${LIST} HTTP/1.1`, "Host: x", "Content-Type: application/json", "Content-Length: 2"];
      const twice = ["Authorization: Bearer a.b.c", "Authorization: Bearer d.e.f", "Connection: close"];
      const answer = await sendRaw(latchkey.url, [...head, `X-API-Key: ${secret}`, ...twice, "", "{}"].join("\r\n"));
      const fields = [...answer.matchAll(/^(x-ratelimit-\w+): (\d+)/gim)].map(([, name = "", value = ""]) => [
        name,
        value,
      ]);
      const reason = /"denial_reason":"(\w+)"/.exec(answer)?.[1];
      return { status: Number(answer.slice(9, 12)), reason, headers: new Headers(fields as [string, string][]) };
    };
    for (const fields of [{}, { keyType: "KEY_TYPE_PUBLISHABLE" }]) {
      const { headers, manage } = await newKey(fields);
      const secret = headers["x-api-key"];
      const refused = await call(secret);
      expect({ ...refused, ...limitOf(refused.headers) }).toMatchObject({
        ...{ status: 401, reason: "jwt_malformed" },
        ...{ limit: 9, remaining: 9 },
      });
      expect((await manage("usage")).json.result).toMatchObject({ total_verifications: 1, failed_verifications: 1 });
      await manage("revoke");
      expect((await call(secret)).reason).toBe("api_key_revoked");
    }
    expect((await call("zz")).reason).toBe("api_key_invalid");
  });

  test.each(["revoke", "disable", "expire"])("of a key after %s are 0, 0, now", async (how) => {
    latchkey.clock.stand();
    const { headers, manage } = await newKey();
    expect((await latchkey.call(LIST, {}, headers)).status).toBe(200);
    if (how === "expire") await manage("rotate", { grace_period_hours: 0 });
    else await manage(how);
    const answer = await latchkey.call(LIST, {}, headers);
    expect({ status: answer.status, ...limitOf(answer.headers) }).toMatchObject({
      status: 401,
      limit: 0,
      remaining: 0,
    });
    expect(Math.abs(limitOf(answer.headers).resetMs - latchkey.clock.now().getTime())).toBeLessThan(5 * SECOND);
  });

  test("of two keys in one request are 0, 0, now, even if one of them is valid", async () => {
    const [one, other] = [await newKey(), await newKey()];
    const both = `${one.headers["x-api-key"]}, ${other.headers["x-api-key"]}`;
    const answer = await latchkey.call(LIST, {}, { "x-api-key": both });
    expect({ status: answer.status, ...limitOf(answer.headers) }).toMatchObject({
      status: 401,
      limit: 0,
      remaining: 0,
    });
  });

  // threat: L7
  test("of a publishable key whose user is denied have what is left, on 401 and 500, and nothing is spent", async () => {
    const oidc = { issuer: latchkey.provider.issuer, jwksUrl: "https://idp.invalid/jwks", audience: "app" };
    const fields = { keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: { oidc } };
    const { headers, manage } = await newKey(fields);
    for (const [authorization, status] of [
      ["", 401],
      ["Bearer x.y.z", 401],
      ["Basic eDp5", 401],
    ] as const) {
      const answer = await latchkey.call(LIST, {}, authorization === "" ? headers : { ...headers, authorization });
      expect({ status: answer.status, ...limitOf(answer.headers) }).toMatchObject({ status, limit: 9, remaining: 9 });
    }
    const broken = await newKey({ keyType: "KEY_TYPE_PUBLISHABLE" });
    const answer = await latchkey.call(LIST, {}, broken.headers);
    expect({ status: answer.status, ...limitOf(answer.headers) }).toMatchObject({
      status: 500,
      limit: 9,
      remaining: 9,
    });
    const { json } = await manage("usage");
    expect(json.result).toMatchObject({ total_verifications: 3, failed_verifications: 3 });
  });
});

describe.each([
  ["Connect in JSON", () => createConnectTransport({ ...http(), useBinaryFormat: false })],
  ["Connect in binary", () => createConnectTransport(http())],
  ["gRPC-Web in binary", () => createGrpcWebTransport(http())],
  ["gRPC-Web in JSON", () => createGrpcWebTransport({ ...http(), useBinaryFormat: false })],
])("a generated client that speaks %s", (_, createTransport) => {
  /** How a call ended, for a client that knows nothing but its protocol. */
  async function outcome(call: (onHeader: (headers: Headers) => void) => Promise<unknown>) {
    let headers = new Headers();
    try {
      await call((received) => {
        headers = received;
      });
      return { code: "ok", headers, denial: undefined };
    } catch (err) {
      const error = ConnectError.from(err);
      return { code: Code[error.code], headers: error.metadata, denial: error.findDetails(DenialSchema)[0] };
    }
  }

  function clients(headers: Record<string, string>) {
    const transport = createTransport();
    const [gateway, orgs] = [createClient(GatewayService, transport), createClient(OrgService, transport)];
    return {
      list: () => outcome((onHeader) => gateway.listThreads({}, { headers, onHeader })),
      state: (conversationKey: string) =>
        outcome((onHeader) => gateway.getConversationState({ conversationKey }, { headers, onHeader })),
      createOrg: () => outcome((onHeader) => orgs.createOrg({ name: "a" }, { headers, onHeader })),
      sendTooMuch: () =>
        outcome((onHeader) =>
          gateway.getConversationState({ conversationKey: "x".repeat(1_100_000) }, { headers, onHeader }),
        ),
    };
  }

  test("gets the limit with every outcome", async () => {
    const { headers } = await newKey();
    const { list, state, createOrg, sendTooMuch } = clients(headers);
    const outcomes = [
      ["ok", await list()],
      ["InvalidArgument", await state("")],
      ["PermissionDenied", await createOrg()],
      ["NotFound", await state("none")],
      ["ResourceExhausted", await sendTooMuch()],
      ["ok", await list()],
    ] as const;
    let remaining = 9;
    for (const [code, answer] of outcomes) {
      remaining -= 1;
      expect({ code: answer.code, ...limitOf(answer.headers) }).toMatchObject({ code, limit: 9, remaining });
    }
  });

  test("gets 0, 0, now with an unusable or unknown key, and what is left with a denied user or a misconfigured key", async () => {
    const { headers, manage } = await newKey();
    await manage("revoke");
    for (const key of [headers["x-api-key"], "sk_unknown", "nonsense"]) {
      const answer = await clients({ "x-api-key": key }).list();
      expect({ code: answer.code, ...limitOf(answer.headers) }).toMatchObject({
        code: "Unauthenticated",
        limit: 0,
        remaining: 0,
      });
    }
    const broken = await newKey({ keyType: "KEY_TYPE_PUBLISHABLE" });
    const answer = await clients(broken.headers).list();
    expect({ code: answer.code, ...limitOf(answer.headers) }).toMatchObject({
      code: "Internal",
      limit: 9,
      remaining: 9,
    });
  });

  test("gets the time until a retry from a denial's header and detail, and a retry then is admitted", async () => {
    const { headers } = await newKey({ rate_limit: { requests_per_minute: 2 } });
    const { list } = clients(headers);
    await list();
    await list();
    const { code, headers: received, denial } = await list();
    const { resetMs, ...limit } = limitOf(received);
    expect({ code, ...limit }).toEqual({ code: "ResourceExhausted", limit: 2, remaining: 0 });
    expect(denial?.reason).toBe(DenialReason.RATE_LIMITED);
    expect(denial?.rateLimit).toMatchObject({ limit: 2, remaining: 0 });
    const { resetAt } = denial?.rateLimit ?? {};
    expect(resetAt && timestampDate(resetAt).getTime()).toBe(resetMs);
    const retryAfter = Number(received.get("retry-after"));
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    latchkey.clock.advance(retryAfter * SECOND);
    expect((await list()).code).toBe("ok");
  });
});

function http() {
  return { baseUrl: latchkey.url, httpVersion: "1.1" } as const;
}
