import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();
const { url: baseUrl } = latchkey;
const MALFORMED = { authorization: "Bearer abc" };

const PROTOCOLS = {
  "Connect in JSON": createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  "Connect in binary": createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  "Connect over HTTP/2": createConnectTransport({ baseUrl, httpVersion: "2" }),
  gRPC: createGrpcTransport({ baseUrl }),
  "gRPC-Web": createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
};

async function plansKey(): Promise<string> {
  const dashboard = await latchkey.dashboard(newTenant());
  return (await latchkey.createKey(dashboard, { permissions: ["plans:read"] })).key;
}

describe.each(Object.entries(PROTOCOLS))("over %s", (_name, transport) => {
  const auth = createClient(AuthService, transport);

  async function challengeOf(headers: Record<string, string>, scopes: string[] = []): Promise<string | null> {
    const err = await auth.verify({ scopes }, { headers }).then(
      () => undefined,
      (reason: unknown) => ConnectError.from(reason),
    );
    expect([Code.Unauthenticated, Code.PermissionDenied]).toContain(err?.code);
    return err?.metadata.get("www-authenticate") ?? null;
  }

  test("a refused token is an invalid_token, with a description", async () => {
    expect(await challengeOf(MALFORMED)).toMatch(
      /^Bearer realm="latchkey", error="invalid_token", error_description="The user token is not a well-formed JWT; [^"\\]+"$/,
    );
  });

  test("absent credentials and a wrong key have the realm alone", async () => {
    expect(await challengeOf({})).toBe('Bearer realm="latchkey"');
    expect(await challengeOf({ "x-api-key": "sk_wrong" })).toBe('Bearer realm="latchkey"');
  });

  test("a 403 for a scope names the scope", async () => {
    expect(await challengeOf({ "x-api-key": await plansKey() }, ["plans:read", "plans:write"])).toBe(
      'Bearer error="insufficient_scope", scope="plans:write"',
    );
  });
});

test("/auth/check answers as verify does", async () => {
  const check = async (headers: Record<string, string>) =>
    (await fetch(`${baseUrl}/auth/check?scope=plans:write`, { headers })).headers.get("www-authenticate");
  expect(await check(MALFORMED)).toContain('error="invalid_token"');
  expect(await check({ "x-api-key": await plansKey() })).toBe('Bearer error="insufficient_scope", scope="plans:write"');
});

test("a 403 for another cause, a 400 and a 429 have none", async () => {
  const dashboard = await latchkey.dashboard(newTenant());
  const authorization = `Bearer ${await latchkey.provider.sign({ sub: "u" }, latchkey.clock.now())}`;
  const required = await latchkey.call("/api/v1/api-keys/list", {}, { authorization });
  expect(required.json.denial_reason).toBe("tenant_required");
  expect(required.headers.get("www-authenticate")).toBeNull();
  const invalid = await latchkey.call("/api/v1/api-keys/create", {}, dashboard);
  expect(invalid.status).toBe(400);
  expect(invalid.headers.get("www-authenticate")).toBeNull();
  const limits = { permissions: ["plans:read"], rate_limit: { requests_per_minute: 1 } };
  const { key } = await latchkey.createKey(dashboard, limits);
  const answers = [];
  for (let i = 0; i < 2; i++) answers.push(await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key }));
  expect(answers.map(({ status }) => status)).toEqual([200, 429]);
  expect(answers[1]?.headers.get("www-authenticate")).toBeNull();
});

test("a page of another origin can read it", async () => {
  const { headers } = await latchkey.call("/api/v1/auth/verify", {}, { ...MALFORMED, origin: "https://a.example" });
  expect(headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
});
