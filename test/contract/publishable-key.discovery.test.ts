// promise: oidc.discovery, oidc.same-user, key-sets.addresses
import { beforeAll, describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import type { Answer, JsonObject } from "../harness/http.ts";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { newTenant } from "../harness/latchkey.ts";
import { bearer, type PublishableService, sharedPublishable, USER_KEY } from "../harness/publishable.ts";
import { signToken } from "../jwks/provider.ts";

const FIELD = "publishableConfig.oidc";

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

function create(oidc: JsonObject, tenant = newTenant(), fields: JsonObject = {}): Promise<Answer> {
  const body = { name: "app", permissions: ["plans:read"], ...PUBLISHABLE, publishableConfig: { oidc }, ...fields };
  return dashboardOf(service.latchkey, tenant).call("create", body);
}

describe("a key with only an issuer", () => {
  test("has its key set discovered once, and shows it", async () => {
    const tenant = newTenant();
    const { issuer, document, metadata } = service.keyHost.issuer(USER_KEY.jwk);
    const created = await create({ issuer, audience: "app" }, tenant);
    expect(created.status, created.text).toBe(200);
    const { key, key_id } = created.json.result;
    const record = await dashboardOf(service.latchkey, tenant).result("get", { key_id });
    expect(record.publishableConfig.oidc).toMatchObject({ issuer, jwksUrl: document.url });
    const nowS = Math.floor(service.latchkey.clock.now().getTime() / 1_000);
    const token = signToken(USER_KEY, { iss: issuer, aud: "app", sub: "u", exp: nowS + 60 });
    const verify = () => service.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key, ...bearer(token) });
    expect((await verify()).json.user_id).toBe("u");
    metadata.respond = (_req, res) => res.writeHead(500).end();
    expect((await verify()).status).toBe(200);
    expect(metadata.requests).toBe(1);
  });

  test("may have a slash at its end, which is not doubled", async () => {
    const { issuer, metadata, document } = service.keyHost.issuer(USER_KEY.jwk);
    metadata.respond = (_req, res) => res.end(JSON.stringify({ issuer: `${issuer}/`, jwks_uri: document.url }));
    expect((await create({ issuer: `${issuer}/`, audience: "app" })).status).toBe(200);
    expectInvalid(
      await create({ issuer, audience: "app" }),
      `${FIELD}.issuer`,
      "only in the slash at its end, which the configuration lacks",
    );
  });

  test.each<[string, string | [number, string], string, string]>([
    ["another issuer", '{"issuer": "https://other.example", "jwks_uri": "https://other.example"}', "issuer", "differs"],
    ["no issuer", '{"jwks_uri": "https://other.example/"}', "issuer", "differs"],
    ["no jwks_uri", '{"issuer": "ISSUER"}', "jwksUrl", "has no jwks_uri"],
    ["an http jwks_uri", '{"issuer": "ISSUER", "jwks_uri": "http://idp.example/"}', "jwksUrl", "absolute https URL"],
    ["a private jwks_uri", '{"issuer": "ISSUER", "jwks_uri": "https://10.0.0.1/"}', "jwksUrl", "a public host"],
    ["a list", "[]", "jwksUrl", "an array instead of an object"],
    ["no JSON", "<html>", "jwksUrl", "not JSON"],
    ["too many parts", `[${"[],".repeat(6_000)}[]]`, "jwksUrl", "more than 10000 of the characters"],
    ["a 404", [404, ""], "jwksUrl", "the status 404"],
    ["a redirect", [307, ""], "jwksUrl", "a redirect (307)"],
    ["no UTF-8", [200, "\xff"], "jwksUrl", "not UTF-8"],
  ])("that publishes %s is refused, and no key is created", async (_case, published, member, says) => {
    const tenant = newTenant();
    const { issuer, metadata } = service.keyHost.issuer(USER_KEY.jwk);
    const [status, text] = typeof published === "string" ? [200, published] : published;
    metadata.respond = (_req, res) =>
      res.writeHead(status, { location: metadata.url }).end(Buffer.from(text.replace("ISSUER", issuer), "latin1"));
    expectInvalid(await create({ issuer, audience: "app" }, tenant), `${FIELD}.${member}`, says);
    expect((await dashboardOf(service.latchkey, tenant).call("list", {})).json.pagination.total).toBe(0);
    expect(metadata.requests).toBe(1);
  });

  test("whose host does not answer is refused without naming it", async () => {
    const answer = await create({ issuer: `http://${service.closedHost}`, audience: "app" });
    expectInvalid(answer, `${FIELD}.jwksUrl`, "the connection is refused or breaks off");
    expect(answer.text).not.toContain(service.closedHost);
  });

  test.each(["stytch.com/project-test-1", "https://10.0.0.1", "https://localhost", "https://idp.example?tenant=1"])(
    "that cannot be fetched from, as %s, needs a jwksUrl",
    async (issuer) => {
      expectInvalid(await create({ issuer, audience: "app" }), `${FIELD}.jwksUrl`, "is required, because");
    },
  );

  test("is fetched only for a request that is valid and allowed otherwise", async () => {
    const { issuer, metadata } = service.keyHost.issuer(USER_KEY.jwk);
    expectInvalid(await create({ issuer }), `${FIELD}.audience`);
    expectInvalid(await create({ issuer, audience: "app", tokenType: "x" }), `${FIELD}.tokenType`);
    const past = { expires_at: "2000-01-01T00:00:00Z" };
    expectInvalid(await create({ issuer, audience: "app" }, newTenant(), past), "expires_at");
    expect(metadata.requests).toBe(0);
  });
});

describe("a second issuer of a tenant", () => {
  const oidcOf = (issuer: string, userIdPrefix?: string) => ({
    issuer,
    audience: "app",
    jwksUrl: "https://idp.example/keys",
    userIdPrefix,
  });
  const warningOf = async (tenant: string, issuer: string, prefix?: string) => {
    const answer = await create(oidcOf(issuer, prefix), tenant);
    expect(answer.status, answer.text).toBe(200);
    return answer.json.warning;
  };

  // threat: X9
  test("without a prefix of its own is created with a warning, and any other key without", async () => {
    const tenant = newTenant();
    const first = await create(oidcOf("https://a.example"), tenant);
    expect(Object.keys(first.json)).toEqual(["result"]);
    expect(await warningOf(tenant, "https://a.example")).toBeUndefined();
    expect(await warningOf(tenant, "https://b.example")).toContain("userIdPrefix");
    expect(await warningOf(tenant, "https://b.example", "b|")).toBeUndefined();
    expect(await warningOf(tenant, "https://c.example", "b|")).toContain("userIdPrefix");
    expect(await warningOf(newTenant(), "https://b.example")).toBeUndefined();
    // An issuer without a prefix can name a user that begins like the other's.
    const prefixed = newTenant();
    expect(await warningOf(prefixed, "https://a.example", "a|")).toBeUndefined();
    expect(await warningOf(prefixed, "https://b.example")).toContain("userIdPrefix");
  });

  test("beside a revoked key alone has no warning", async () => {
    const tenant = newTenant();
    const { key_id } = (await create(oidcOf("https://a.example"), tenant)).json.result;
    await dashboardOf(service.latchkey, tenant).result("revoke", { key_id });
    expect(await warningOf(tenant, "https://b.example")).toBeUndefined();
  });
});
