// promise: fence.proxies, limits.cost, guards.request-id
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGuard } from "../../clients/typescript/src/server/index.ts";
import { type Answer, post } from "../harness/http.ts";
import { type Latchkey, newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { sharedWithRolesInTokens } from "../harness/roles.ts";
import { trusting } from "../harness/trusted-proxies.ts";
import { startUpstream, UPSTREAMS, type Upstream } from "../harness/upstreams.ts";

const LIMIT_HEADERS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];

const latchkey = await sharedLatchkey();

async function newKey(fields: object = {}, tenant = newTenant()): Promise<string> {
  const dashboard = await latchkey.dashboard(tenant);
  return (await latchkey.createKey(dashboard, { permissions: ["plans:read"], ...fields })).key;
}

const limitHeaders = ({ headers }: Answer) => LIMIT_HEADERS.map((name) => headers.get(name));

describe.each(UPSTREAMS)("a guarded upstream of %s", (kind) => {
  let upstream: Upstream;
  let both: Upstream;

  beforeAll(async () => {
    const guard = { baseUrl: latchkey.url };
    upstream = await startUpstream(kind, guard, "plans:read");
    both = await startUpstream(kind, guard, ["plans:read", "plans:write"]);
  });

  afterAll(async () => {
    await upstream.close();
    await both.close();
  });

  const call = (headers: Record<string, string>, body: unknown = { n: 1 }) =>
    post(upstream.url, "/plans", body, headers);
  /** What Latchkey itself says about the credentials. */
  const verify = (headers: Record<string, string>) =>
    latchkey.call("/api/v1/auth/verify", { scope: "plans:read" }, headers);

  /** The answer must be Latchkey's own, and the handler must not have run. */
  async function expectDenied(headers: Record<string, string>, status: number, reason: string | undefined) {
    const before = upstream.handled();
    const [answer, original] = [await call(headers), await verify(headers)];
    expect(answer.status).toBe(status);
    expect(answer.json.denial_reason).toBe(reason);
    // The upstream does not have the pages of Latchkey's own port.
    const relayed = original.text.replace(/ See \/docs\/errors#\w+/, "");
    expect([answer.status, answer.text]).toEqual([original.status, relayed]);
    expect(limitHeaders(answer).map((value) => value === null)).toEqual(limitHeaders(original).map((v) => v === null));
    for (const name of ["content-type", "www-authenticate"]) {
      expect(answer.headers.get(name)).toBe(original.headers.get(name));
    }
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    expect(upstream.handled()).toBe(before);
  }

  test("spends the cost of its requests in one step", async () => {
    const costly = await startUpstream(kind, { baseUrl: latchkey.url }, "plans:read", { cost: 4 });
    const headers = { "x-api-key": await newKey({ rate_limit: { requests_per_minute: 10 } }) };
    const answers: Answer[] = [];
    for (let n = 0; n < 3; n++) answers.push(await post(costly.url, "/plans", { n }, headers));
    await costly.close();
    expect(answers.map(({ status, headers: sent }) => [status, sent.get("x-ratelimit-remaining")])).toEqual([
      [200, "6"],
      [200, "2"],
      [429, "0"],
    ]);
  });

  test("passes the caller to its handler, and leaves the body unread", async () => {
    const tenantId = newTenant();
    const key = await newKey({ permissions: ["plans:*", "users:impersonate"] }, tenantId);
    const { status, json } = await call({ "x-api-key": key, "x-on-behalf-of": "anna" }, { text: "ü".repeat(5_000) });
    expect(status).toBe(200);
    expect(json.caller).toEqual({
      kind: "secret_key",
      tenantId,
      keyId: expect.stringMatching(/^key_/),
      userId: "anna",
      actingFor: "anna",
      permissions: ["plans:*", "users:impersonate"],
    });
    expect(json.body).toEqual({ text: "ü".repeat(5_000) });
  });

  test("lets a dashboard user pass", async () => {
    const { json } = await call(await latchkey.dashboard());
    expect(json.caller).toMatchObject({ kind: "dashboard_user", userId: "user-1", permissions: ["*"] });
  });

  test("adds the key's limit and the id of the decision to the answers that it serves", async () => {
    const answer = await call({ "x-api-key": await newKey({ rate_limit: { requests_per_minute: 9 } }) });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
    expect(limitHeaders(answer)).toEqual(["9", "8", expect.stringMatching(/^\d+$/), null]);
  });

  test("answers a denial as Latchkey does: status, body and headers", async () => {
    await expectDenied({}, 401, "missing_credentials");
    await expectDenied({ "x-api-key": "nonsense" }, 401, "api_key_invalid");
    await expectDenied({ authorization: "Bearer a.b.c" }, 401, "jwt_malformed");
    await expectDenied({ "x-api-key": await newKey({ permissions: ["plans:write"] }) }, 403, "insufficient_scope");
    await expectDenied({ "x-api-key": await newKey(), "x-on-behalf-of": "anna" }, 403, "insufficient_scope");
    const impersonator = await newKey({ permissions: ["plans:read", "users:impersonate"] });
    await expectDenied({ "x-api-key": impersonator, "x-on-behalf-of": "a".repeat(257) }, 400, undefined);
    await expectDenied(
      { authorization: `Bearer ${await latchkey.dashboardToken({ tenant_id: "" })}` },
      403,
      "tenant_required",
    );
  });

  test("answers a key over its limit with Retry-After and the limit in the body", async () => {
    const headers = { "x-api-key": await newKey({ rate_limit: { requests_per_minute: 1 } }) };
    expect((await call(headers)).status).toBe(200);
    await expectDenied(headers, 429, "rate_limited");
    const answer = await call(headers);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(answer.json.rate_limit).toMatchObject({ limit: 1, remaining: 0 });
  });

  test("requires all of several scopes", async () => {
    const one = await post(both.url, "/plans", {}, { "x-api-key": await newKey() });
    expect(one.json.denial_reason).toBe("insufficient_scope");
    const all = await post(both.url, "/plans", {}, { "x-api-key": await newKey({ permissions: ["plans:*"] }) });
    expect(all.status).toBe(200);
  });

  test("ignores X-Auth headers of a request and removes them", async () => {
    const claims = {
      "X-Auth-Tenant-Id": "ten_other",
      "x-auth-user-id": "admin",
      X_Auth_Key_Id: "key_other",
      "X-Auth-Anything": "1",
    };
    await expectDenied(claims, 401, "missing_credentials");
    const tenantId = newTenant();
    const { json } = await call({ "x-api-key": await newKey({}, tenantId), "x-authority": "stays", ...claims });
    expect(json.caller).toMatchObject({ kind: "secret_key", tenantId });
    expect(json.caller).not.toHaveProperty("userId");
    expect(json.headers.filter((name: string) => /^x[-_]auth[-_]/i.test(name))).toEqual([]);
    expect(json.headers).toContain("x-authority");
  });

  test("rejects two values of a credential header, even if one is valid", async () => {
    const key = await newKey();
    const before = upstream.handled();
    for (const lines of [
      [`X-API-Key: ${key}`, "X-API-Key: sk_other"],
      [`Authorization: Bearer ${await latchkey.dashboardToken()}`, "Authorization: Bearer x"],
    ]) {
      const head = ["POST /plans HTTP/1.1", "Host: x", "Content-Type: application/json", "Content-Length: 2", ...lines];
      const answer = await sendRaw(upstream.url, `${head.join("\r\n")}\r\nConnection: close\r\n\r\n{}`);
      expect(answer).toMatch(/^HTTP\/1.1 401 /);
    }
    expect(upstream.handled()).toBe(before);
  });
});

describe("a guard of a service whose dashboard users have roles", () => {
  let latchkey: Latchkey;

  beforeAll(async () => {
    latchkey = await sharedWithRolesInTokens();
  });

  test("checks a user's scopes as a key's, and passes them on", async () => {
    const guard = createGuard({ baseUrl: latchkey.url });
    const authorization = `Bearer ${await latchkey.dashboardToken({ roles: ["developer"] })}`;
    const answer = (scope: string) =>
      guard.fetch(scope, (_request, caller) => Response.json(caller.permissions))(
        new Request("http://upstream", { headers: { authorization } }),
      );
    expect(await (await answer("plans:write")).json()).toContain("plans:*");
    const denied = await answer("billing:read");
    expect([denied.status, await denied.json()]).toMatchObject([403, { denial_reason: "insufficient_scope" }]);
  });
});

test("a key with allowed_ips is checked with the address of the guard's client, whatever that client writes", async () => {
  const own = await sharedLatchkey({ trustedProxies: trusting(["127.0.0.1"]) });
  const upstream = await startUpstream("node:http", { baseUrl: own.url }, "plans:read");
  try {
    const fields = { permissions: ["plans:read"], allowed_ips: ["127.0.0.2"] };
    const { key } = await own.createKey(await own.dashboard(), fields);
    const statusFrom = async (localAddress: string, headers: Record<string, string> = {}) => {
      const req = request(`${upstream.url}/plans`, {
        method: "POST",
        agent: false,
        localAddress,
        headers: { "content-type": "application/json", "x-api-key": key, ...headers },
      });
      const [res] = (await once(req.end("{}"), "response")) as [IncomingMessage];
      res.resume();
      return res.statusCode;
    };
    const spoofed = { "x-forwarded-for": "127.0.0.2", forwarded: "for=127.0.0.2" };
    expect(await statusFrom("127.0.0.2")).toBe(200);
    expect(await statusFrom("127.0.0.3")).toBe(403);
    expect(await statusFrom("127.0.0.3", spoofed)).toBe(403);
    // A trusted proxy in front of the guarded service, by either header.
    expect(await statusFrom("127.0.0.1", { "x-forwarded-for": "127.0.0.3, 127.0.0.2" })).toBe(200);
    expect(await statusFrom("127.0.0.1", { "x-forwarded-for": "127.0.0.2, 127.0.0.3" })).toBe(403);
    expect(await statusFrom("127.0.0.2", { "sec-fetch-site": "same-origin" })).toBe(403);
  } finally {
    await upstream.close();
  }
});
