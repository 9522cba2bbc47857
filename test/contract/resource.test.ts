// promise: check.resource
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Authorization } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { generateSigningKey, type IdentityProvider, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { protectedResource } from "../../src/domain/access/protected-resource.ts";
import { type Latchkey, newTenant, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";

const RESOURCE = "https://api.example.com/v1";
const OTHER = "https://other.example.com";
const ISSUER = "https://idp.example.com";
const METADATA = "https://api.example.com/.well-known/oauth-protected-resource/v1";
const PATH = new URL(METADATA).pathname;
const TENANT = newTenant();

let provider: IdentityProvider;
let latchkey: Latchkey;

beforeAll(async () => {
  provider = await startIdentityProvider(await generateSigningKey(), ISSUER);
  const { issuer, jwksUrl } = provider;
  latchkey = await startLatchkey({
    config: {
      jwksAllowedHosts: [new URL(jwksUrl).host],
      dashboard: {
        expectation: { issuer, jwksUrl, audience: [RESOURCE, OTHER, "dashboard"], jwksOwner: { kind: "operator" } },
        userIdClaim: "sub",
        tenantClaim: "tenant_id",
        requiredClaims: {},
      },
      resource: protectedResource(RESOURCE, [ISSUER], ["plans:read"]),
    },
  });
});

afterAll(async () => {
  await latchkey.close();
  await provider.close();
});

async function user(claims: Record<string, unknown> = {}): Promise<Record<string, string>> {
  const all = { sub: "user-1", tenant_id: TENANT, aud: RESOURCE, scope: "plans:read", ...claims };
  return { authorization: `Bearer ${await provider.sign(all, latchkey.clock.now())}` };
}

async function key(permissions: readonly string[], fields: object = {}): Promise<Record<string, string>> {
  return { "x-api-key": (await latchkey.createKey(await user({ aud: "dashboard" }), { permissions, ...fields })).key };
}

type Check = (headers: Record<string, string>, scopes: readonly string[]) => Promise<[number, string | null, string]>;

const overHttp: Check = async (headers, scopes) => {
  const query = scopes.map((scope) => `scope=${scope}`).join("&");
  const answer = await fetch(`${latchkey.url}/auth/check?${query}`, { headers });
  const { denial_reason: reason = "" } = answer.status === 200 ? {} : ((await answer.json()) as Record<string, string>);
  return [answer.status, answer.headers.get("www-authenticate"), reason];
};

const byEnvoy: Check = async (headers, scopes) => {
  const client = createClient(Authorization, createGrpcTransport({ baseUrl: latchkey.url }));
  const { httpResponse } = await client.check({
    attributes: {
      request: { http: { headers } },
      contextExtensions: scopes.length > 0 ? { scope: scopes.join(" ") } : {},
    },
  });
  if (httpResponse.case !== "deniedResponse") return [200, null, ""];
  const { status, headers: sent, body } = httpResponse.value;
  const challenge = sent.find(({ header }) => header?.key === "www-authenticate")?.header?.value ?? null;
  return [status?.code ?? 0, challenge, JSON.parse(body).denial_reason];
};

describe.each([
  ["/auth/check", overHttp],
  ["Envoy's check", byEnvoy],
])("%s of a service for a resource", (_name, check) => {
  test("names the metadata in its challenges, and all scopes that were asked for", async () => {
    expect(await check({}, ["plans:read"])).toEqual([
      401,
      `Bearer realm="latchkey", scope="plans:read", resource_metadata="${METADATA}"`,
      "missing_credentials",
    ]);
    expect((await check({}, []))[1]).toBe(`Bearer realm="latchkey", resource_metadata="${METADATA}"`);
    expect((await check({ authorization: "Bearer abc" }, []))[1]).toContain(
      'error="invalid_token", error_description="',
    );
    expect(await check(await key(["plans:read"]), ["plans:read", "plans:write"])).toEqual([
      403,
      `Bearer error="insufficient_scope", scope="plans:read plans:write", resource_metadata="${METADATA}"`,
      "insufficient_scope",
    ]);
  });

  test("admits tokens for the resource, and no others that the service accepts", async () => {
    expect((await check(await user(), ["plans:read"]))[0]).toBe(200);
    expect((await check(await user({ aud: ["dashboard", RESOURCE] }), ["plans:read"]))[0]).toBe(200);
    for (const aud of [OTHER, "dashboard", `${RESOURCE}/`, [OTHER, "dashboard"]]) {
      const [status, challenge, reason] = await check(await user({ aud }), ["plans:read"]);
      expect([status, reason], String(aud)).toEqual([401, "jwt_invalid_audience"]);
      expect(challenge).toContain('error="invalid_token"');
      expect(challenge).toContain(`resource_metadata="${METADATA}"`);
    }
  });

  test("takes the audience of a publishable key's user, and no token of a secret key", async () => {
    const { issuer, jwksUrl } = provider;
    const app = (audience: string) =>
      key(["plans:read"], {
        keyType: "KEY_TYPE_PUBLISHABLE",
        publishableConfig: { oidc: { issuer, jwksUrl, audience } },
      });
    const ofUser = async (aud: string) => ({ ...(await app(aud)), ...(await user({ aud, scope: "" })) });
    expect((await check(await ofUser(RESOURCE), ["plans:read"]))[0]).toBe(200);
    expect((await check(await ofUser(OTHER), ["plans:read"]))[2]).toBe("jwt_invalid_audience");
    expect((await check(await key(["plans:read"]), ["plans:read"]))[0]).toBe(200);
  });

  test("admits a token of a secret key for the resource, whose scopes decide, and no other of the service's own", async () => {
    const headers = await key(["plans:*"]);
    const derive = async (fields: object) => {
      const { json } = await latchkey.call("/api/v1/tokens/derive", { scopes: ["plans:*"], ...fields }, headers);
      return { authorization: `Bearer ${json.result.token}` };
    };
    const own = await derive({ audience: RESOURCE });
    expect(await check(own, ["plans:read"])).toEqual([200, null, ""]);
    expect((await check(own, ["conversations:read"]))[2]).toBe("insufficient_scope");
    for (const audience of [undefined, OTHER, `${RESOURCE}/`]) {
      expect((await check(await derive({ audience }), ["plans:read"]))[2], String(audience)).toBe(
        "jwt_invalid_audience",
      );
    }
  });

  test("asks a user's token for the scopes that its issuer grants, and their roles for all", async () => {
    for (const scope of ["openid", "", undefined]) {
      const [status, challenge] = await check(await user({ scope }), ["plans:read"]);
      expect([status, challenge]).toEqual([403, expect.stringMatching(/scope="plans:read( openid)?"/)]);
    }
    expect((await check(await user({ scope: undefined, scp: ["plans:*"] }), ["plans:read"]))[0]).toBe(200);
    expect((await check(await user({ scope: "" }), ["conversations:read"]))[0]).toBe(200);
  });
});

describe.each([
  ["/auth/check", overHttp],
  ["Envoy's check", byEnvoy],
])("a challenge of %s for a lacking scope", (_name, check) => {
  const asked = (headers: Record<string, string>) => check(headers, ["plans:read", "conversations:read"]);
  const NEEDED = "plans:read conversations:read";

  test("keeps the scopes that the token has, since a client asks for those of the challenge only", async () => {
    for (const claims of [{ scope: "openid plans:write" }, { scope: "openid", scp: ["plans:write", "openid"] }])
      expect((await asked(await user(claims)))[1]).toBe(
        `Bearer error="insufficient_scope", scope="${NEEDED} openid plans:write", resource_metadata="${METADATA}"`,
      );
    const spoilt = await user({ scope: 'a"b c\\d \u00e9 \n ok', scp: ["x\r\ny"] });
    expect((await asked(spoilt))[1]).toContain(`scope="${NEEDED} ok"`);
  });

  test("names no scope of a token that was refused, or that came beside a key", async () => {
    expect((await asked(await user({ aud: OTHER, scope: "openid" })))[1]).toContain(`scope="${NEEDED}"`);
    const beside = { ...(await key(["plans:write"])), ...(await user({ scope: "openid" })) };
    expect((await asked(beside))[1]).toContain(`scope="${NEEDED}"`);
  });
});

test("the metadata is there for anyone, and pages can read it", async () => {
  const answer = await fetch(`${latchkey.url}${PATH}`);
  expect([answer.status, await answer.json()]).toEqual([
    200,
    {
      resource: RESOURCE,
      authorization_servers: [ISSUER],
      scopes_supported: ["plans:read"],
      bearer_methods_supported: ["header"],
    },
  ]);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
});

test("the API itself takes tokens of every configured audience, with its usual challenges", async () => {
  const { status } = await latchkey.call("/api/v1/auth/verify", {}, await user({ aud: OTHER }));
  expect(status).toBe(200);
  const { headers } = await latchkey.call("/api/v1/auth/verify", {});
  expect(headers.get("www-authenticate")).toBe('Bearer realm="latchkey"');
});

test("a service for no resource has neither metadata nor other challenges", async () => {
  const shared = await sharedLatchkey();
  expect((await fetch(`${shared.url}${PATH}`)).status).toBe(404);
  const { headers } = await fetch(`${shared.url}/auth/check?scope=plans:read`);
  expect(headers.get("www-authenticate")).toBe('Bearer realm="latchkey"');
});
