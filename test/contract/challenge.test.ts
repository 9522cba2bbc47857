// promise: answers.headers, answers.challenge
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { RPCS } from "../harness/rpcs.ts";

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

function jwtOf(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "ES256", kid: "1", typ: "JWT" })}.${part(claims)}.c2ln`;
}

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

  test("absent credentials and a wrong key have only the realm", async () => {
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

/** RFC 6750, 3: a scheme with a parameter. Foundation on Linux ends the process on a bare scheme. */
const WITH_PARAMETER = /^(?:Bearer|DPoP) [a-z_]+="/;

describe("every 401 of every path has a challenge with a parameter", () => {
  const UNKNOWN_KEY = `sk_${"a".repeat(46)}`;
  const WRONG: Readonly<Record<string, Record<string, string>>> = {
    "without credentials": {},
    "with a text that is no key": { "x-api-key": "nonsense" },
    "with an unknown key": { "x-api-key": UNKNOWN_KEY },
    "with a token that is no JWT": MALFORMED,
    "with a token of another issuer": { authorization: `Bearer ${jwtOf({ iss: "https://other.example", sub: "u" })}` },
    "with another scheme": { authorization: "Basic YTpi" },
    "with a bound token's scheme and no proof": { authorization: "DPoP abc" },
    "with a proof alone": { dpop: "abc" },
    "with a user's token beside a publishable key": { ...MALFORMED, "x-api-key": `pk_${"a".repeat(46)}` },
    "for a user, without a key": { "x-on-behalf-of": "user-1" },
  };
  const RPC_PATHS = RPCS.flatMap(({ path, procedure }) => [path, procedure]);
  /** One RPC, by both of its paths, and all that is not an RPC. */
  const ONE_OF_EACH = [
    ...RPC_PATHS.slice(0, 2),
    ...["/auth/check", "/auth/check?scope=plans:write&cost=2", "/auth/check/below"],
    ...["/oauth/token", "/metrics", "/docs", "/console/", "/openapi.json", "/readyz", "/", "/api/v2/nothing"],
  ];

  /** The challenge of a 401; undefined for every other status. */
  async function challengeOf(path: string, method: string, headers: Record<string, string>) {
    const answer = await fetch(`${baseUrl}${path}`, { method, headers });
    await answer.arrayBuffer();
    return answer.status === 401 ? answer.headers.get("www-authenticate") : undefined;
  }

  test.each(Object.entries(WRONG))("%s", async (_what, headers) => {
    const denied: string[] = [];
    for (const path of ONE_OF_EACH) {
      for (const [method, type] of [
        ["POST", "application/json"],
        ["POST", "application/proto"],
        ["POST", "application/x-www-form-urlencoded"],
        ["GET", undefined],
      ] as const) {
        const more = type === undefined ? {} : { "content-type": type };
        const challenge = await challengeOf(path, method, { ...headers, ...more });
        if (challenge === undefined) continue;
        denied.push(path);
        expect(challenge, `${method} ${path}`).toMatch(WITH_PARAMETER);
      }
    }
    expect(denied).toEqual(expect.arrayContaining([...RPC_PATHS.slice(0, 2), "/auth/check"]));
  });

  test("at every RPC", async () => {
    for (const path of RPC_PATHS)
      expect(await challengeOf(path, "POST", { ...MALFORMED, "content-type": "application/json" }), path).toMatch(
        WITH_PARAMETER,
      );
  });
});

test("a page of another origin can read it", async () => {
  const { headers } = await latchkey.call("/api/v1/auth/verify", {}, { ...MALFORMED, origin: "https://a.example" });
  expect(headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
});
