// promise: oidc.check, tokens.times, tokens.first-fault, tokens.messages
import { beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { newTenant } from "../harness/latchkey.ts";
import { type PublishableService, sharedPublishable, USER_KEY } from "../harness/publishable.ts";
import { generateKey } from "../jwks/provider.ts";

const CHECK = "/api/v1/api-keys/check-oidc";
const STRANGER = generateKey("ES256", { kid: USER_KEY.jwk.kid });
const OF_TOKEN = ["form", "algorithm", "signature", "payload", "token_type", "issuer", "audience", "times", "user_id"];

interface Step {
  readonly name: string;
  readonly passed: boolean;
  readonly expected: string;
  readonly found: string;
  readonly detail: string;
}

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

async function check(tenant: string, body: object): Promise<{ steps: Step[]; passed: boolean }> {
  const answer = await service.latchkey.call(CHECK, body, await service.latchkey.dashboard(tenant));
  expect(answer.status, answer.text).toBe(200);
  const { steps, passed } = answer.json as { steps: Step[]; passed: boolean };
  expect(Object.keys(answer.json)).toEqual(["steps", "passed"]);
  for (const step of steps) {
    expect(Object.keys(step)).toEqual(["name", "passed", "expected", "found", "detail"]);
    expect(step.detail).toMatch(/\S/);
  }
  expect(passed).toBe(steps.every((step) => step.passed));
  return { steps, passed };
}

const failed = (steps: readonly Step[]) => steps.filter((step) => !step.passed).map(({ name }) => name);

describe("a configuration", () => {
  test("is checked up to its key set", async () => {
    const { steps } = await check(newTenant(), {
      oidc: { issuer: "https://a.example", audience: "app", jwksUrl: service.keyHost.document(USER_KEY.jwk).url },
    });
    expect(steps.map(({ name, passed }) => [name, passed])).toEqual([
      ["configuration", true],
      ["key_set", true],
    ]);
    expect(steps[1]?.found).toMatch(/^Usable keys: 1 of 1, fetched at /);
  });

  test("without jwksUrl is discovered, and shows what was found", async () => {
    const { issuer, document } = service.keyHost.issuer(USER_KEY.jwk);
    const { steps, passed } = await check(newTenant(), { oidc: { issuer, audience: "app" } });
    expect(steps.map(({ name }) => name)).toEqual(["configuration", "discovery", "key_set"]);
    expect([steps[1]?.found, passed]).toEqual([document.url, true]);
  });

  test("that create would refuse shows the same message, and nothing is fetched", async () => {
    const document = service.keyHost.document(USER_KEY.jwk);
    const oidc = { issuer: "https://a.example/{tenantid}", audience: "app", jwksUrl: document.url };
    const { steps } = await check(newTenant(), { oidc, token: "x" });
    expect(steps).toEqual([
      { name: "configuration", passed: false, expected: "", found: "", detail: expect.stringContaining("{tenantid}") },
    ]);
    const fields = { name: "k", permissions: ["plans:read"], keyType: "KEY_TYPE_PUBLISHABLE" };
    const created = await service.latchkey.call(
      "/api/v1/api-keys/create",
      { ...fields, publishableConfig: { oidc } },
      await service.latchkey.dashboard(),
    );
    expect(created.json.message).toBe(steps[0]?.detail);
    expect(document.requests).toBe(0);
  });

  test.each([
    ["no keys", () => service.keyHost.document().url, "The key set has no usable key."],
    ["nothing there", () => `http://${service.keyHost.host}/none`, "the answer has the status 404"],
  ])("whose key set has %s fails at key_set", async (_case, jwksUrl, detail) => {
    const { steps } = await check(newTenant(), {
      oidc: { issuer: "https://a.example", audience: "app", jwksUrl: jwksUrl() },
    });
    expect(failed(steps)).toEqual(["key_set"]);
    expect(steps.at(-1)?.detail).toContain(detail);
  });
});

describe("a token", () => {
  test("that requests accept passes each step, for a key and for the same configuration", async () => {
    const app = await service.newApp();
    const token = app.token();
    expect(await app.outcomeOf(token)).toBe("admitted");
    const ofKey = await check(app.tenant, { key_id: app.keyId, token });
    expect(ofKey.passed).toBe(true);
    expect(ofKey.steps.map(({ name }) => name)).toEqual(["configuration", "key_set", ...OF_TOKEN]);
    const oidc = { issuer: app.issuer, audience: app.audience, jwksUrl: app.document.url };
    const given = await check(newTenant(), { oidc, token });
    expect([given.passed, given.steps.slice(2)]).toEqual([true, ofKey.steps.slice(2)]);
  });

  test("shows the steps of the optional members that are configured", async () => {
    const oidc = {
      authorizedParties: ["web"],
      requiredClaims: { plan: "pro" },
      claimRules: [{ claim: "email_verified", equals: true }],
      userIdPrefix: "p|",
    };
    const app = await service.newApp({ oidc });
    const { steps } = await check(app.tenant, { key_id: app.keyId, token: app.token({ azp: "tv", plan: "free" }) });
    expect(failed(steps)).toEqual(["authorized_party", "required_claims", "claim_rules"]);
    const shown = Object.fromEntries(steps.map(({ name, expected, found }) => [name, [expected, found]]));
    expect(shown).toMatchObject({
      authorized_party: ["web", "tv"],
      required_claims: ['{"plan":"pro"}', '[["plan","free"]]'],
      claim_rules: ["email_verified equals true", '[["email_verified",null]]'],
      user_id: ["an id in the claim sub, after the prefix p|", "user_1"],
    });
  });

  test("of another issuer shows the signature and the claims that differ at once", async () => {
    const app = await service.newApp();
    const token = app.token({ iss: `${app.issuer}/`, aud: ["x", "y"] }, STRANGER);
    const { steps } = await check(app.tenant, { key_id: app.keyId, token });
    expect(failed(steps)).toEqual(["signature", "issuer", "audience"]);
    expect(steps.find(({ name }) => name === "issuer")).toEqual({
      name: "issuer",
      passed: false,
      expected: app.issuer,
      found: `${app.issuer}/`,
      detail: expect.stringContaining("only in the slash at its end"),
    });
    expect(steps.find(({ name }) => name === "audience")).toMatchObject({ expected: app.audience, found: '["x","y"]' });
  });

  test("fails first where a request with it is denied, with the message of that denial", async () => {
    const app = await service.newApp({ oidc: { tokenType: "id", requiredClaims: { plan: "pro" } } });
    const nowS = Number(app.claims().iat);
    const tokens: [string, string][] = [
      ["form", "x.y"],
      ["form", "opaque"],
      ["form", app.keyHeader["x-api-key"]],
      ["form", app.token({}, USER_KEY, { typ: "logout+jwt" })],
      ["algorithm", app.token({}, USER_KEY, { alg: "HS256" })],
      ["signature", app.token({}, STRANGER)],
      ["payload", app.token({ events: { "http://schemas.openid.net/event/backchannel-logout": {} } })],
      ["token_type", app.token({}, USER_KEY, { typ: "at+jwt" })],
      ["issuer", app.token({ iss: "https://other.example" })],
      ["audience", app.token({ aud: "other" })],
      ["times", app.token({ exp: nowS - 60 })],
      ["times", app.token({ nbf: nowS + 60 })],
      ["user_id", app.token({ sub: 5 })],
      ["required_claims", app.token()],
    ];
    for (const [name, token] of tokens) {
      const { steps } = await check(app.tenant, { key_id: app.keyId, token });
      const first = steps.find(({ passed }) => !passed);
      const denied: JsonObject = (await app.verify(token)).json;
      expect([first?.name, denied.denial_reason !== undefined]).toEqual([name, true]);
      expect(denied.message).toContain(first?.detail);
    }
    expect((await check(app.tenant, { key_id: app.keyId, token: app.token({ plan: "pro" }) })).passed).toBe(true);
  });

  test("that requests have verified before is verified again", async () => {
    const app = await service.newApp();
    const token = app.token();
    await app.verify(token);
    app.document.publish(STRANGER.jwk);
    service.latchkey.clock.advance(301_000);
    const { steps } = await check(app.tenant, { key_id: app.keyId, token });
    expect(failed(steps)).toEqual(["signature"]);
  });
});

test("a key without configuration fails at configuration, as its requests do", async () => {
  const tenant = newTenant();
  const dashboard = await service.latchkey.dashboard(tenant);
  const { key_id } = await service.latchkey.createKey(dashboard, { keyType: "KEY_TYPE_PUBLISHABLE" });
  const { steps } = await check(tenant, { key_id, token: "x" });
  expect(steps.map(({ name, passed }) => [name, passed])).toEqual([["configuration", false]]);
});

test("a check creates, spends and counts nothing", async () => {
  const app = await service.newApp({ fields: { rate_limit: { requests_per_minute: 5 } } });
  const list = async () =>
    (await service.latchkey.call("/api/v1/api-keys/list", {}, await service.latchkey.dashboard(app.tenant))).json;
  const before = await list();
  for (let n = 0; n < 10; n++) await check(app.tenant, { key_id: app.keyId, token: app.token() });
  expect(await list()).toEqual(before);
  const usage = await service.latchkey.call(
    "/api/v1/api-keys/usage",
    { key_id: app.keyId },
    await service.latchkey.dashboard(app.tenant),
  );
  expect(usage.json.result.total_verifications).toBe(0);
});
