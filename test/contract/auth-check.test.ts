// promise: check.same, check.headers, verify.spends
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { VerifyResponseSchema } from "../../gen/latchkey/v1/auth_service_pb.ts";
import document from "../../gen/openapi.json" with { type: "json" };
import { AUTH_CHECK_PATH } from "../../tools/protoc-gen-openapi/auth-check.ts";
import { expectDocumented } from "../harness/documented.ts";
import { expectPublicMessage } from "../harness/error-answers.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

interface Checked {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  readonly text: string;
}

/** Checked against the OpenAPI document. By `node:http`, since `fetch` adds headers of its own and refuses some methods. */
async function check(query: string, headers: Record<string, string> = {}, method = "GET", body = ""): Promise<Checked> {
  const checked = await ask(query, headers, method, body);
  if (method !== "HEAD") {
    const json = checked.text === "" ? undefined : JSON.parse(checked.text);
    const sent = Object.entries(checked.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    expectDocumented(AUTH_CHECK_PATH, {
      status: checked.status,
      headers: new Headers(sent as [string, string][]),
      json,
    });
    expectHeadersDocumented(checked);
  }
  return checked;
}

function expectHeadersDocumented(checked: Checked): void {
  const responses: Readonly<Record<string, { readonly headers?: object; readonly $ref?: string }>> =
    document.paths[AUTH_CHECK_PATH].get.responses;
  const { $ref = "", headers } = responses[checked.status] ?? {};
  const found = Object.entries(document.components.responses).find(([name]) => $ref.endsWith(`/${name}`))?.[1];
  const names = Object.keys(headers ?? found?.headers ?? {}).map((name) => name.toLowerCase());
  expect(names).toEqual(expect.arrayContaining(Object.keys(authHeaders(checked))));
}

function ask(query: string, headers: Record<string, string>, method: string, body: string): Promise<Checked> {
  return new Promise((resolve, reject) => {
    const req = request(`${latchkey.url}/auth/check${query}`, { method, headers }, (res) => {
      let text = "";
      res.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      res.on("end", () => resolve({ status: res.statusCode ?? 0, headers: res.headers as Checked["headers"], text }));
    });
    req.on("error", reject);
    req.end(body);
  });
}

function authHeaders({ headers }: Checked): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-auth-")));
}

async function newKey(fields: object = {}) {
  const tenant = newTenant();
  const dashboard = await latchkey.dashboard(tenant);
  return { tenant, dashboard, ...(await latchkey.createKey(dashboard, { permissions: ["plans:*"], ...fields })) };
}

describe("/auth/check answers 200 without a body, and who is calling in headers", () => {
  test("for a secret key", async () => {
    const { tenant, key, key_id } = await newKey({ permissions: ["plans:*", "users:read"] });
    const checked = await check("?scope=plans:read", { "x-api-key": key });
    expect({ status: checked.status, text: checked.text }).toEqual({ status: 200, text: "" });
    expect(authHeaders(checked)).toEqual({
      "x-auth-caller": "secret_key",
      "x-auth-tenant-id": tenant,
      "x-auth-key-id": key_id,
      "x-auth-user-id": "",
      "x-auth-token-id": "",
      "x-auth-permissions": "plans:* users:read",
      "x-auth-acting-for": "",
      "x-auth-external-id": "",
      "x-auth-metadata": "",
    });
    expect(checked.headers["x-ratelimit-limit"]).toBe("2147483647");
    expect(checked.headers["cache-control"]).toBe("no-store");
    expect(checked.headers["x-request-id"]).toMatch(/^req_/);
  });

  test("for a key that acts for a user", async () => {
    const { key } = await newKey({ permissions: ["users:impersonate"] });
    const checked = await check("", { "x-api-key": key, "x-on-behalf-of": "user 7%" });
    expect(checked.headers["x-auth-user-id"]).toBe("user%207%25");
    expect(checked.headers["x-auth-acting-for"]).toBe("user%207%25");
  });

  // threat: B26
  test("with all that Verify answers of a caller", async () => {
    const metadata = { plan: "größer\r\nX-Auth-Caller: dashboard_user", seats: 5 };
    const { key } = await newKey({ external_id: "Kunde ö", metadata });
    const { headers } = await check("", { "x-api-key": key });
    expect(headers["x-auth-external-id"]).toBe("Kunde%20%C3%B6");
    expect(JSON.parse(Buffer.from(headers["x-auth-metadata"] ?? "", "base64url").toString())).toEqual(metadata);
    const answered = VerifyResponseSchema.fields.filter(({ name }) => !["rate_limit", "explanation"].includes(name));
    for (const { name } of answered) expect(headers).toHaveProperty(`x-auth-${name.replaceAll("_", "-")}`);
  });

  test("for a dashboard user", async () => {
    const tenant = newTenant();
    const token = await latchkey.dashboardToken({ tenant_id: tenant, sub: "jörg\u2028" });
    const checked = await check("?scope=billing:write", { authorization: `Bearer ${token}` });
    expect(checked.status).toBe(200);
    expect(authHeaders(checked)).toEqual({
      "x-auth-caller": "dashboard_user",
      "x-auth-tenant-id": tenant,
      "x-auth-key-id": "",
      "x-auth-user-id": "j%C3%B6rg%E2%80%A8",
      "x-auth-token-id": "",
      "x-auth-permissions": "*",
      "x-auth-acting-for": "",
      "x-auth-external-id": "",
      "x-auth-metadata": "",
    });
  });

  test.each(["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])("by %s", async (method) => {
    const { key } = await newKey();
    const allowed = await check("?scope=plans:read", { "x-api-key": key }, method);
    expect(allowed.status).toBe(200);
    expect(allowed.headers["x-auth-caller"]).toBe("secret_key");
    expect((await check("?scope=users:read", { "x-api-key": key }, method)).status).toBe(403);
  });

  test("whatever body comes with it", async () => {
    const { key } = await newKey();
    const headers = { "x-api-key": key, "content-type": "text/plain" };
    expect((await check("?scope=plans:read", headers, "POST", "{".repeat(100_000))).status).toBe(200);
  });

  test("and ignores X-Auth-* headers of the request", async () => {
    const { tenant, key } = await newKey();
    const spoofed = { "x-auth-tenant-id": "ten_other", "x-auth-user-id": "root", "x-auth-caller": "dashboard_user" };
    const checked = await check("", { "x-api-key": key, ...spoofed });
    expect(authHeaders(checked)).toMatchObject({ "x-auth-tenant-id": tenant, "x-auth-user-id": "" });
    expect((await check("", spoofed)).status).toBe(401);
  });
});

describe("/auth/check answers a denial as every RPC does", () => {
  async function expectDenied(checked: Checked, status: number, reason: string) {
    expect(checked.status, checked.text).toBe(status);
    const json = JSON.parse(checked.text);
    expect(json.denial_reason).toBe(reason);
    expect(checked.headers["x-auth-denial-reason"]).toBe(reason);
    expect(checked.headers["content-type"]).toBe("application/json");
    expect(checked.headers["x-auth-tenant-id"]).toBeUndefined();
    expectPublicMessage({ json, status, text: checked.text, headers: new Headers() });
  }

  test("without credentials", async () => {
    const checked = await check("?scope=plans:read");
    await expectDenied(checked, 401, "missing_credentials");
    expect(checked.headers["www-authenticate"]).toBe('Bearer realm="latchkey"');
  });

  test("with a revoked key", async () => {
    const { key, key_id, dashboard } = await newKey();
    await latchkey.call("/api/v1/api-keys/revoke", { key_id }, dashboard);
    const checked = await check("?scope=plans:read", { "x-api-key": key });
    await expectDenied(checked, 401, "api_key_revoked");
    expect(checked.headers["x-ratelimit-remaining"]).toBe("0");
  });

  test("for a key that lacks one of several scopes", async () => {
    const { key } = await newKey();
    expect((await check("?scope=plans:read&scope=plans:write", { "x-api-key": key })).status).toBe(200);
    await expectDenied(
      await check("?scope=plans:read&scope=users:read", { "x-api-key": key }),
      403,
      "insufficient_scope",
    );
  });

  test("beyond the limit, with Retry-After", async () => {
    const { key } = await newKey({ rate_limit: { requests_per_minute: 1 } });
    await check("", { "x-api-key": key });
    const checked = await check("", { "x-api-key": key });
    await expectDenied(checked, 429, "rate_limited");
    expect(checked.headers["retry-after"]).toBe("60");
    expect(JSON.parse(checked.text).rate_limit).toMatchObject({ limit: 1, remaining: 0 });
  });

  test("for a dashboard user without a tenant", async () => {
    const token = await latchkey.dashboardToken({ tenant_id: undefined });
    await expectDenied(await check("", { authorization: `Bearer ${token}` }), 403, "tenant_required");
  });

  test.each([
    ["?scope=plans:reed", "scope"],
    ["?scope=", "scope"],
    ["?scope=plans:*", "scope"],
    ["?scopes=plans:read", "query"],
    ["?scope=plans:read&tenant_optional=true", "query"],
    ["?scope=plans:read&scope=plans:read%20", "scope"],
  ])("%s is 400, a mistake of the proxy, and admits no caller", async (query, field) => {
    const { key } = await newKey({ permissions: ["*"] });
    const checked = await check(query, { "x-api-key": key });
    expect(checked.status, checked.text).toBe(400);
    expect(JSON.parse(checked.text).message.split(":")[0]).toBe(field);
  });

  // threat: B22
  test("64 scopes are checked, and more are 400", async () => {
    const { key } = await newKey({ permissions: ["*"] });
    const query = (count: number) => `?${"scope=plans:read&".repeat(count)}`;
    expect((await check(query(64), { "x-api-key": key })).status).toBe(200);
    const { status, text } = await check(query(65), { "x-api-key": key });
    expect([status, JSON.parse(text).message]).toEqual([400, "scope: must have at most 64 values"]);
  });

  test.each(["plans:reed", "plan:*", "systems:read"])(
    "scope=%s is 400, and the message suggests a scope that is accepted",
    async (scope) => {
      const { key } = await newKey({ permissions: ["*"] });
      const { message } = JSON.parse((await check(`?scope=${scope}`, { "x-api-key": key })).text);
      const suggested = /did you mean "([^"]+)"/.exec(message)?.[1];
      expect((await check(`?scope=${suggested}`, { "x-api-key": key })).status).toBe(200);
    },
  );

  test.each([
    ["*", 'scope: must be no wildcard; ask for one "domain:action"'],
    ["plans:*", 'scope: must be no wildcard; ask for one "domain:action"'],
    ["*:*", "scope: is not a known scope; the list is closed: POST /api/v1/scopes/list returns all of it"],
    ["nonsense", "scope: is not a known scope; the list is closed: POST /api/v1/scopes/list returns all of it"],
  ])("scope=%s is 400, and the message suggests no scope", async (scope, message) => {
    const { key } = await newKey({ permissions: ["*"] });
    expect(JSON.parse((await check(`?scope=${scope}`, { "x-api-key": key })).text)).toMatchObject({ message });
  });

  test("and path=, which a proxy appends, changes nothing", async () => {
    const { key } = await newKey();
    const path = "&path=/v1/plans?scope=users:read&scopes=x&a=b?c";
    expect((await check(`?scope=plans:read${path}`, { "x-api-key": key })).status).toBe(200);
    expect((await check("?scope=users:read&path=/?scope=plans:read", { "x-api-key": key })).status).toBe(403);
    expect((await check("?path=/v1", { "x-api-key": key })).status).toBe(200);
  });
});

test("a check spends and counts like any call, a denied one as failed", async () => {
  const { key, key_id, dashboard } = await newKey({ rate_limit: { requests_per_minute: 10 } });
  const first = await check("?scope=plans:read", { "x-api-key": key });
  expect(first.headers["x-ratelimit-remaining"]).toBe("9");
  const second = await check("?scope=users:read", { "x-api-key": key });
  expect(second.headers["x-ratelimit-remaining"]).toBe("8");
  const verified = await latchkey.call("/api/v1/auth/verify", { scope: "users:read" }, { "x-api-key": key });
  expect(verified.status).toBe(403);
  const usage = await latchkey.call("/api/v1/api-keys/usage", { key_id }, dashboard);
  expect(usage.json.result).toEqual({ total_verifications: 3, successful_verifications: 1, failed_verifications: 2 });
});

test.each(["/auth/check/", "/auth/check/x", "/auth", "/auth/Check"])("%s is 404", async (path) => {
  expect((await fetch(`${latchkey.url}${path}`)).status).toBe(404);
});
