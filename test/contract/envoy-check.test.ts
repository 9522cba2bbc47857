// promise: bodies.size, dpop.checks, check.envoy
import { request } from "node:http";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { Authorization, type CheckResponse } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { newBoundToken } from "../harness/bound-tokens.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { sharedPublishable } from "../harness/publishable.ts";
import { trusting } from "../harness/trusted-proxies.ts";

type HeaderList = readonly (readonly [name: string, value: string])[];
interface Verdict {
  readonly status: number;
  /** Without what differs between any two answers. */
  readonly headers: Record<string, string>;
  readonly body: string;
}

const CALLS = process.env.TEST_LONG === "1" ? 10_000 : 300;
const service = await sharedPublishable({ trustedProxies: trusting(["127.0.0.1"]) });
const { latchkey } = service;
const envoy = createClient(Authorization, createGrpcTransport({ baseUrl: latchkey.url }));
const CHANGING = /^(?:x-request-id|x-ratelimit-(?:remaining|reset)|retry-after|date|content-length)$/;

/** The body names how much remains. */
function steady(text: string): string {
  return text.replace(/"(?:remaining|reset_at)":[^,}]+/g, "");
}

function byHttp(headers: HeaderList, question: URLSearchParams): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const raw = headers.flat();
    const url = `${latchkey.url}/auth/check?${question}`;
    const req = request(url, { headers: ["host", "x", ...raw] }, (res) => {
      let body = "";
      res.setEncoding("utf8").on("data", (chunk) => {
        body += chunk;
      });
      res.on("end", () => {
        const kept = Object.entries(res.headers).map(([name, value]): [string, string] => [name, String(value)]);
        resolve({ status: res.statusCode ?? 0, headers: passed(kept, res.statusCode === 200), body: steady(body) });
      });
    });
    req.on("error", reject).end();
  });
}

async function byEnvoy(
  headers: HeaderList,
  extensions: Record<string, string>,
): Promise<Verdict & { raw: CheckResponse }> {
  const raw = await envoy.check({
    attributes: {
      request: { http: { headerMap: { headers: headers.map(([key, value]) => ({ key, value })) } } },
      contextExtensions: extensions,
    },
  });
  const { httpResponse } = raw;
  if (httpResponse.case === undefined) throw new Error("neither admitted nor denied");
  const isAdmitted = httpResponse.case === "okResponse";
  const limits = isAdmitted ? httpResponse.value.responseHeadersToAdd : [];
  const kept = [...httpResponse.value.headers, ...limits].map(({ header }): [string, string] => [
    header?.key ?? "",
    header?.value ?? "",
  ]);
  const status = isAdmitted ? 200 : (httpResponse.value.status?.code ?? 0);
  return { raw, status, headers: passed(kept, isAdmitted), body: isAdmitted ? "" : steady(httpResponse.value.body) };
}

/** The headers that a proxy has to pass on, to the service or to the client. */
function passed(headers: readonly (readonly [string, string])[], isAdmitted: boolean): Record<string, string> {
  const wanted = isAdmitted
    ? /^x-(?:auth|ratelimit)-/
    : /^(?:x-ratelimit-|www-authenticate$|content-type$|retry-after$|cache-control$)/;
  return Object.fromEntries(headers.filter(([name]) => wanted.test(name) && !CHANGING.test(name)));
}

async function expectSame(headers: HeaderList, scopes: readonly string[], cost?: string): Promise<Verdict> {
  const question = new URLSearchParams(scopes.map((scope): [string, string] => ["scope", scope]));
  if (cost !== undefined) question.set("cost", cost);
  const extensions = { ...(scopes.length > 0 && { scope: scopes.join(" ") }), ...(cost !== undefined && { cost }) };
  const [http, { raw: _, ...grpc }] = await Promise.all([byHttp(headers, question), byEnvoy(headers, extensions)]);
  const same = (text: string) =>
    text.replaceAll("context_extensions", "query").replaceAll(", and at its end path=", "");
  expect({ ...grpc, body: same(grpc.body) }, JSON.stringify({ headers, scopes, cost })).toEqual({
    ...http,
    body: same(http.body),
  });
  return http;
}

async function keysOf(): Promise<Record<string, HeaderList>> {
  const dashboard = await latchkey.dashboard(newTenant());
  const made = (fields: object) => latchkey.createKey(dashboard, { permissions: ["plans:*"], ...fields });
  const [plain, revoked, disabled, fenced, agent, limited] = await Promise.all([
    made({}),
    made({}),
    made({}),
    made({ allowed_ips: ["192.0.2.0/24"] }),
    made({ permissions: ["plans:read", "users:impersonate"] }),
    made({ rate_limit: { requests_per_minute: 1 } }),
  ]);
  await latchkey.call("/api/v1/api-keys/revoke", { key_id: revoked.key_id }, dashboard);
  await latchkey.call("/api/v1/api-keys/disable", { key_id: disabled.key_id }, dashboard);
  await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": limited.key });
  const app = await service.newApp();
  return {
    none: [],
    plain: [["x-api-key", plain.key]],
    twice: [
      ["x-api-key", plain.key],
      ["x-api-key", plain.key],
    ],
    revoked: [["x-api-key", revoked.key]],
    disabled: [["x-api-key", disabled.key]],
    fenced: [["x-api-key", fenced.key]],
    agent: [
      ["x-api-key", agent.key],
      ["x-on-behalf-of", "user 7%"],
    ],
    "agent for two": [
      ["x-api-key", agent.key],
      ["x-on-behalf-of", "a"],
      ["x-on-behalf-of", "b"],
    ],
    limited: [["x-api-key", limited.key]],
    unknown: [["x-api-key", `sk_${"0".repeat(plain.key.length - 3)}`]],
    wrong: [["x-api-key", "nothing"]],
    "publishable alone": Object.entries(app.keyHeader),
    publishable: Object.entries(app.headers()),
    dashboard: Object.entries(dashboard),
    malformed: [["authorization", "Bearer abc"]],
  };
}

const CALLERS = Object.entries(await keysOf());
const SCOPES = [[], ["plans:read"], ["plans:write"], ["plans:read", "plans:write"], ["plans:*"], ["nothing"], [""]];
const COSTS = [undefined, "2", "0", "x"];
const PLACES: HeaderList[] = [
  [],
  [["x-forwarded-for", "192.0.2.7"]],
  [["x-forwarded-for", "198.51.100.7, 192.0.2.7"]],
  [["x-forwarded-for", "unknown host"]],
  [["origin", "https://a.example"]],
];

test(`Envoy gets the verdict of /auth/check, in ${CALLS} calls of all callers, scopes, costs and places`, async () => {
  const seen = new Map<number, number>();
  for (let n = 0; n < CALLS; n++) {
    const pick = <One>(from: readonly One[], salt: number): One => from[(n * salt + (n >> 3)) % from.length] as One;
    const [, credentials] = pick(CALLERS, 1);
    const { status } = await expectSame([...credentials, ...pick(PLACES, 3)], pick(SCOPES, 7), pick(COSTS, 11));
    seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  // Neither way admits all, or nothing.
  for (const status of [200, 400, 401, 403, 429])
    expect(seen.get(status) ?? 0, String(status)).toBeGreaterThan(CALLS / 200);
}, 600_000);

describe("a request that is admitted", () => {
  const plain = CALLERS.find(([name]) => name === "plain")?.[1] ?? [];

  test("gets headers in place of those that its client sent, also those without a value", async () => {
    const { raw } = await byEnvoy([...plain, ["x-auth-user-id", "spoofed"]], {});
    if (raw.httpResponse.case !== "okResponse") throw new Error("denied");
    const options = raw.httpResponse.value.headers;
    expect(options.map(({ header }) => header?.key)).toEqual([
      "x-auth-caller",
      "x-auth-tenant-id",
      "x-auth-key-id",
      "x-auth-user-id",
      "x-auth-acting-for",
      "x-auth-token-id",
      "x-auth-permissions",
      "x-auth-external-id",
      "x-auth-metadata",
    ]);
    for (const { appendAction, keepEmptyValue } of options) expect([appendAction, keepEmptyValue]).toEqual([2, true]);
    expect(raw.status?.code).toBe(0);
  });

  test("loses the headers that its route has removed, and no other", async () => {
    const { raw } = await byEnvoy(plain, { remove: "x-api-key authorization" });
    expect(raw.httpResponse.value).toMatchObject({ headersToRemove: ["x-api-key", "authorization"] });
    const wrong = await byEnvoy(plain, { remove: "cookie" });
    expect([wrong.status, JSON.parse(wrong.body).field]).toEqual([400, "remove"]);
  });

  test("is counted once", async () => {
    const dashboard = await latchkey.dashboard(newTenant());
    const { key, key_id } = await latchkey.createKey(dashboard, { permissions: ["plans:read"] });
    for (let n = 0; n < 3; n++) await byEnvoy([["x-api-key", key]], { scope: "plans:read" });
    await byEnvoy([["x-api-key", key]], { scope: "plans:write" });
    const { json } = await latchkey.call("/api/v1/api-keys/usage", { key_id }, dashboard);
    expect(json.result.usage ?? json.result).toMatchObject({ total_verifications: 4 });
  });
});

test.each(["x-forwarded-for", "forwarded"])(
  "a header with the value %s says nothing of where a request comes from",
  async (value) => {
    const dashboard = await latchkey.dashboard(newTenant());
    const { key } = await latchkey.createKey(dashboard, { permissions: ["plans:read"], allowed_ips: ["192.0.2.7"] });
    const from = async (address: string) => {
      const headers = { "x-api-key": key, "x-note": value };
      const source = { address: { socketAddress: { address } } };
      const { status } = await envoy.check({ attributes: { request: { http: { headers } }, source } });
      return status?.code;
    };
    expect([await from("192.0.2.7"), await from("192.0.2.8")]).toEqual([0, 7]);
  },
);

test("a denial has its code, and the log has its reason and the checked request's id", async () => {
  const { raw } = await byEnvoy([["x-request-id", "checked-1"]], {});
  expect(raw.status?.code).toBe(16);
  const line = latchkey.logLines.map((text) => JSON.parse(text)).find(({ request_id }) => request_id === "checked-1");
  expect(line).toMatchObject({ denial_reason: "missing_credentials" });
});

test("headers that Envoy has joined are read, too", async () => {
  const [, credentials] = CALLERS.find(([name]) => name === "plain") ?? [];
  const { httpResponse } = await envoy.check({
    attributes: { request: { http: { headers: Object.fromEntries(credentials ?? []) } } },
  });
  expect(httpResponse.case).toBe("okResponse");
});

test("an address of Envoy's connection counts where no header says one, and only of a trusted Envoy", async () => {
  const [, credentials = []] = CALLERS.find(([name]) => name === "fenced") ?? [];
  const headers = Object.fromEntries(credentials);
  const source = (address: string) => ({ address: { socketAddress: { address } } });
  const check = async (address: string) =>
    (await envoy.check({ attributes: { source: source(address), request: { http: { headers } } } })).httpResponse.case;
  expect(await check("192.0.2.7")).toBe("okResponse");
  expect(await check("198.51.100.7")).toBe("deniedResponse");
  const distrustful = await sharedLatchkey();
  const dashboard = await distrustful.dashboard(newTenant());
  const { key } = await distrustful.createKey(dashboard, { allowed_ips: ["192.0.2.0/24"] });
  const other = createClient(Authorization, createGrpcTransport({ baseUrl: distrustful.url }));
  const { httpResponse } = await other.check({
    attributes: { source: source("192.0.2.7"), request: { http: { headers: { "x-api-key": key } } } },
  });
  expect(httpResponse.case).toBe("deniedResponse");
});

test("a bound token is admitted with a proof for the request that Envoy has, whatever its headers say", async () => {
  const bound = await newBoundToken(latchkey);
  const checked = async (method: string, claimed: Record<string, string> = {}) => {
    const proven = await bound.headers("https://app.example/plans", {}, "GET");
    const http = { method, scheme: "https", host: "app.example", path: "/plans?page=2" };
    const { httpResponse } = await envoy.check({
      attributes: { request: { http: { ...http, headers: { ...proven, ...claimed } } } },
    });
    return httpResponse.case;
  };
  expect(await checked("GET")).toBe("okResponse");
  expect(await checked("POST")).toBe("deniedResponse");
  const forged = { "x-forwarded-method": "GET", "x-forwarded-proto": "https", "x-forwarded-host": "app.example" };
  expect(await checked("POST", { ...forged, "x-forwarded-uri": "/plans" })).toBe("deniedResponse");
  expect(await checked("GET", { "x-forwarded-method": "POST" })).toBe("okResponse");
});

test("an extension that is not known is denied: its scope would not be required", async () => {
  const [, credentials = []] = CALLERS.find(([name]) => name === "plain") ?? [];
  const { status, body } = await byEnvoy(credentials, { scopes: "plans:read" });
  expect(status).toBe(400);
  expect(JSON.parse(body).message).toContain('context_extensions: has the unknown parameter "scopes"');
});

// threat: B22
test.each(["scope", "remove"])("an extension %s of more than 64 parts is denied, whatever they are", async (name) => {
  const [, credentials = []] = CALLERS.find(([caller]) => caller === "plain") ?? [];
  for (const value of [" ".repeat(60_000), `x-api-key ${" ".repeat(64)}authorization`, "plans:read ".repeat(65)]) {
    const { status, body } = await byEnvoy(credentials, { [name]: value });
    expect([status, JSON.parse(body).field]).toEqual([400, name]);
  }
});

describe("what is not a check", () => {
  const post = (body: Uint8Array<ArrayBuffer>, type = "application/grpc") =>
    fetch(`${latchkey.url}/envoy.service.auth.v3.Authorization/Check`, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });

  test("is an error of gRPC: a broken message, and none", async () => {
    for (const body of [Uint8Array.of(0, 0, 0, 0, 9, 1), Uint8Array.of(0, 0, 0, 0, 1, 255), new Uint8Array()]) {
      const answer = await post(body);
      expect([answer.status, answer.headers.get("grpc-status")]).toEqual([200, "3"]);
      expect(answer.headers.get("grpc-message")).toContain("body: ");
    }
  });

  test("is an error of gRPC: a description of more than 64 KiB", async () => {
    await expect(
      envoy.check({ attributes: { contextExtensions: { scope: "x".repeat(65_536) } } }),
    ).rejects.toMatchObject({
      code: Code.ResourceExhausted,
      rawMessage: "body: must be at most 65536 bytes.",
    });
  });

  test("is 415 in another type", async () => {
    expect((await post(new TextEncoder().encode("{}"), "application/json")).status).toBe(415);
  });
});
