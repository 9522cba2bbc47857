// promise: oidc.own-issuer
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { readConfig } from "../../src/config/config.ts";
import { withKeySet } from "../../src/config/dashboard-key-set.ts";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { mistakes } from "../harness/config-mistakes.ts";
import { decide, EDGE_TOKEN, startEdge } from "../harness/edges.ts";
import { expectFault } from "../harness/error-answers.ts";
import { newEmployer } from "../harness/federation.ts";
import { startLatchkey, testStorage } from "../harness/latchkey.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { startPublishable } from "../harness/publishable.ts";
import { TOKEN_ISSUER, TOKEN_SECRET } from "../harness/token-settings.ts";

const { storage } = await testStorage();
const service = await startPublishable({ storage });
const { latchkey, keyHost, platform } = service;
afterAll(() => Promise.all([latchkey.close(), keyHost.close()]));
const employer = await newEmployer(service);
const { rule_id: ruleId } = await employer.create();

/** What leads to this service. `test/harness` has the issuer at the root of its host. */
const OWN = [
  TOKEN_ISSUER,
  `${TOKEN_ISSUER}/`,
  `${TOKEN_ISSUER}:443`,
  "https://LATCHKEY.test",
  "https://latchkey.test.",
  "https://latchkey%2etest",
  `${TOKEN_ISSUER}/.well-known/jwks.json`,
  `${TOKEN_ISSUER}/.well-known/jwks.json/`,
  `${TOKEN_ISSUER}:443//.well-known/jwks.json?x=1`,
  `${TOKEN_ISSUER}/.well-known/%6awks.json`,
  `${TOKEN_ISSUER}/.well-known%2fjwks.json`,
  `${TOKEN_ISSUER}/x/../.well-known/jwks.json`,
  `${TOKEN_ISSUER}/.well-known/oauth-authorization-server`,
  `${TOKEN_ISSUER}/.well-known/openid-configuration`,
];

const OIDC = { issuer: "https://idp.example", jwksUrl: "https://idp.example/keys", audience: "app" };
const publishable = (oidc: object) => ({
  ...{ name: "app", keyType: "KEY_TYPE_PUBLISHABLE", permissions: ["plans:read"] },
  publishableConfig: { oidc: { ...OIDC, ...oidc } },
});

async function call(taken: Exclude<Taken, string>, text: string) {
  const isOperator = "asOperator" in taken;
  const user = await latchkey.dashboard(employer.tenant);
  return latchkey.call(taken.path, taken.body(text), isOperator ? { authorization: `Bearer ${OPERATOR_TOKEN}` } : user);
}

/** How a member of a request takes an issuer, or the keys of one. */
type Taken =
  | { readonly path: string; body(text: string): object; readonly field: string; readonly asOperator?: true }
  /** It is answered with the steps of a diagnosis, of which one fails. */
  | { readonly path: string; body(text: string): object; readonly step: string }
  /** It is answered with the outcomes of rows, of which one is refused. */
  | { readonly path: string; body(text: string): object; readonly row: string; readonly asOperator?: true }
  /** It names a user of an issuer that is trusted already, or holds keys and no address. */
  | "takes no issuer";

const created = (member: "issuer" | "jwksUrl"): Taken => ({
  ...{ path: "/api/v1/api-keys/create", field: `publishableConfig.oidc.${member}` },
  body: (text) => publishable({ [member]: text }),
});
const createdByOperator = (member: "issuer" | "jwksUrl"): Taken => ({
  ...{ path: "/api/v1/operator/keys/create", field: `publishableConfig.oidc.${member}`, asOperator: true },
  body: (text) => ({ ...publishable({ [member]: text }), tenant_id: employer.tenant }),
});
const imported = (member: "issuer" | "jwksUrl"): Taken => ({
  ...{ path: "/api/v1/api-keys/import", row: `publishableConfig.oidc.${member}` },
  body: (text) => ({ keys: [{ ...publishable({ [member]: text }), key: makeSecret("publishable") }], dry_run: true }),
});
const importedByOperator = (member: "issuer" | "jwksUrl"): Taken => ({
  ...{ path: "/api/v1/operator/keys/import", row: `publishableConfig.oidc.${member}`, asOperator: true },
  body(text) {
    const row = { ...publishable({ [member]: text }), key: makeSecret("publishable"), tenant_id: employer.tenant };
    return { keys: [row], dry_run: true };
  },
});
const checked = (member: "issuer" | "jwksUrl"): Taken => ({
  ...{ path: "/api/v1/api-keys/check-oidc", step: "configuration" },
  body: (text) => ({ oidc: { ...OIDC, [member]: text } }),
});
const ruleCreated = (member: "issuer" | "jwks_url"): Taken => ({
  ...{ path: "/api/v1/federation/rules/create", field: member },
  body: (text) => employer.values({ jwks_url: OIDC.jwksUrl, [member]: text }),
});
const ruleUpdated = (member: "issuer" | "jwks_url"): Taken => ({
  ...{ path: "/api/v1/federation/rules/update", field: member },
  body: (text) => ({
    rule_id: ruleId,
    issuer: OIDC.issuer,
    jwks_url: OIDC.jwksUrl,
    [member]: text,
    update_mask: "issuer,jwks_url",
  }),
});

/** Each member of a request whose name says that it is about an issuer or its keys. */
const MEMBERS: Readonly<Record<string, Taken>> = {
  "CreateApiKey publishableConfig.oidc.issuer": created("issuer"),
  "CreateApiKey publishableConfig.oidc.jwksUrl": created("jwksUrl"),
  "CreateTenantKey publishableConfig.oidc.issuer": createdByOperator("issuer"),
  "CreateTenantKey publishableConfig.oidc.jwksUrl": createdByOperator("jwksUrl"),
  "ImportApiKeys keys.publishableConfig.oidc.issuer": imported("issuer"),
  "ImportApiKeys keys.publishableConfig.oidc.jwksUrl": imported("jwksUrl"),
  "ImportTenantKeys keys.publishableConfig.oidc.issuer": importedByOperator("issuer"),
  "ImportTenantKeys keys.publishableConfig.oidc.jwksUrl": importedByOperator("jwksUrl"),
  "CheckOidc oidc.issuer": checked("issuer"),
  "CheckOidc oidc.jwksUrl": checked("jwksUrl"),
  "CreateFederationRule issuer": ruleCreated("issuer"),
  "CreateFederationRule jwks_url": ruleCreated("jwks_url"),
  "CreateFederationRule jwks": "takes no issuer",
  "UpdateFederationRule issuer": ruleUpdated("issuer"),
  "UpdateFederationRule jwks_url": ruleUpdated("jwks_url"),
  "UpdateFederationRule jwks": "takes no issuer",
  "EraseUser issuer": "takes no issuer",
  "SetMemberRole issuer": "takes no issuer",
  "RemoveMember issuer": "takes no issuer",
};

/** Variables of the configuration, likewise. */
const VARIABLES: Readonly<Record<string, "refused" | "takes no issuer">> = {
  OIDC_ISSUER: "refused",
  OIDC_JWKS_URL: "refused",
  // Itself, hosts, and keys that sign reports of leaks.
  TOKEN_ISSUER: "takes no issuer",
  JWKS_ALLOWED_HOSTS: "takes no issuer",
  GITHUB_SECRET_SCANNING_KEYS_URL: "takes no issuer",
};

const ABOUT_ISSUERS = /issuer|jwks|jwk_set|keys_url|discovery|metadata_url/i;

function membersOf(message: DescMessage, before: readonly DescField[] = []): string[] {
  return message.fields.flatMap((field) => {
    const fields = [...before, field];
    const name = fields.map(({ jsonName }) => jsonName).join(".");
    const inner = field.message?.typeName.startsWith("latchkey.") ? membersOf(field.message, fields) : [];
    return [...(ABOUT_ISSUERS.test(field.name) ? [name] : []), ...inner];
  });
}

// threat: Q5
test("every member of a request and every variable that is about an issuer or its keys is in the tables here", () => {
  const members = SERVICES.flatMap(({ methods }) =>
    methods.flatMap((method) => membersOf(method.input).map((name) => `${method.name} ${name}`)),
  );
  expect(Object.keys(MEMBERS).sort()).toEqual(members.sort());
  const variables = new Set<string>();
  readConfig(new Proxy({}, { get: (_env, name) => void variables.add(String(name)) }));
  expect(Object.keys(VARIABLES).sort()).toEqual([...variables].filter((name) => ABOUT_ISSUERS.test(name)).sort());
});

describe.each(
  Object.entries(MEMBERS).flatMap(([name, taken]) => (typeof taken === "string" ? [] : [[name, taken] as const])),
)("this service's own issuer and key set in %s", (_name, taken) => {
  // threat: Q5
  test("are refused, in every spelling", async () => {
    const before = await employer.json("list", {});
    for (const text of OWN) {
      const answer = await call(taken, text);
      if ("step" in taken) {
        expect(answer.json.passed, text).toBe(false);
        expect(answer.json.steps).toEqual([
          expect.objectContaining({
            ...{ name: taken.step, passed: false, detail: expect.stringContaining("must not lead to this service") },
          }),
        ]);
        continue;
      }
      if ("row" in taken) {
        const refused = { status: "REFUSED", reason: "own_issuer", field: taken.row };
        expect(answer.json.results, text).toEqual([expect.objectContaining(refused)]);
        continue;
      }
      expectFault(answer, 400, "invalid_argument");
      expect([answer.json.reason, answer.json.field], text).toEqual(["own_issuer", taken.field]);
    }
    expect(await employer.json("list", {})).toEqual(before);
  });

  test("and others are not", async () => {
    const text = `${platform.issuer}/.well-known/jwks.json`;
    const answer = await call(taken, text);
    expect(answer.status, answer.text).toBe(200);
    if ("row" in taken) expect(answer.json).toMatchObject({ created: 1, refused: 0 });
  });
});

describe("an issuer whose metadata name this service's key set is refused", () => {
  function misleading(): string {
    const { issuer, metadata } = keyHost.issuer();
    const text = JSON.stringify({ issuer, jwks_uri: `${TOKEN_ISSUER}/.well-known/jwks.json` });
    metadata.respond = (_req, res) => res.end(text);
    return issuer;
  }

  test.each<[string, (issuer: string) => object, string]>([
    ["api-keys/create", (issuer) => publishable({ issuer, jwksUrl: undefined }), "publishableConfig.oidc.jwksUrl"],
    ["federation/rules/create", (issuer) => employer.values({ issuer }), "jwks_url"],
    ["federation/rules/update", (issuer) => ({ rule_id: ruleId, issuer, update_mask: "issuer" }), "jwks_url"],
  ])("at %s", async (path, body, field) => {
    const headers = await latchkey.dashboard(employer.tenant);
    const { status, json } = await latchkey.call(`/api/v1/${path}`, body(misleading()), headers);
    expect([status, json.reason, json.field]).toEqual([400, "own_issuer", field]);
  });

  test("at api-keys/check-oidc", async () => {
    const oidc = { ...OIDC, issuer: misleading(), jwksUrl: undefined };
    const { json } = await latchkey.call("/api/v1/api-keys/check-oidc", { oidc }, await latchkey.dashboard());
    expect(json.steps.at(-1)).toMatchObject({ name: "discovery", passed: false });
    expect(json.steps.at(-1).detail).toContain("must not lead to this service");
  });

  // threat: Q5
  test("at the start of the service, as the dashboard's", async () => {
    const env = { OIDC_ISSUER: OIDC.issuer, OIDC_AUDIENCE: "api", TOKEN_ISSUER, TOKEN_SECRET };
    const document = { issuer: OIDC.issuer, jwks_uri: "https://LATCHKEY.test/.well-known/jwks.json" };
    const providers = { fetchDocument: async () => ({ document }), prepare: async () => {} };
    await expect(withKeySet(readConfig(env), providers)).rejects.toThrow("must not lead to this service");
  });
});

test.each(Object.keys(VARIABLES).filter((name) => VARIABLES[name] === "refused"))(
  "this service does not start with itself as %s, in any spelling",
  (name) => {
    const oidc = { OIDC_ISSUER: OIDC.issuer, OIDC_JWKS_URL: OIDC.jwksUrl, OIDC_AUDIENCE: "api" };
    const own = { TOKEN_ISSUER, TOKEN_SECRET, PORT: "8080", ADMIN_PORT: "9090", JWKS_ALLOWED_HOSTS: "localhost:9090" };
    expect(mistakes({ ...oidc, ...own })).toEqual([]);
    for (const text of [...OWN, "http://localhost:9090/.well-known/jwks.json"])
      expect(mistakes({ ...oidc, ...own, [name]: text }), text).toEqual([
        expect.stringContaining(`${name} must not lead to this service`),
      ]);
  },
);

describe("once the service has an issuer that was stored before as another's", () => {
  /** The same storage, by another replica whose TOKEN_ISSUER is the issuer of the platform. */
  async function startRenamed() {
    const { issuer } = employer.platform;
    const [byIssuer, byKeys] = await Promise.all([
      service.newApp({ oidc: { issuer } }),
      service.newApp({ oidc: { jwksUrl: `${issuer}/.well-known/jwks.json` } }),
    ]);
    const expectation = { issuer: platform.issuer, audience: platform.audience, jwksUrl: platform.document.url };
    const renamed = await startLatchkey({
      config: {
        storage,
        accessTokens: { issuer, secrets: [TOKEN_SECRET] },
        jwksAllowedHosts: [keyHost.host],
        edgeTokens: [EDGE_TOKEN],
        dashboard: {
          expectation: { ...expectation, jwksOwner: { kind: "operator" } },
          ...{ userIdClaim: "sub", tenantClaim: "tenant_id", requiredClaims: {} },
        },
      },
    });
    onTestFinished(() => renamed.close());
    return { renamed, byIssuer, byKeys };
  }

  // threat: Q5
  test("its keys are misconfigured, its rules give no token, and the checks and an edge say so", async () => {
    const { rule_id: stored } = await employer.create();
    const { renamed, byIssuer, byKeys } = await startRenamed();
    const edge = await startEdge(renamed.url);
    expect((await byIssuer.verify()).status).toBe(200);
    for (const app of [byIssuer, byKeys]) {
      const { status, json } = await renamed.call("/api/v1/auth/verify", {}, app.headers());
      expect([status, json.denial_reason]).toEqual([500, "misconfigured_publishable_key"]);
      expect(await decide(edge, app.headers())).toBeUndefined();
      const asked = { key_id: app.keyId, token: app.token() };
      const oidc = await renamed.call("/api/v1/api-keys/check-oidc", asked, await latchkey.dashboard(app.tenant));
      expect(oidc.json.steps).toMatchObject([{ name: "configuration", passed: false }]);
      const explain = { explain: true, key_id: app.keyId };
      const explained = await renamed.call("/api/v1/auth/verify", explain, await latchkey.dashboard(app.tenant));
      expect(explained.json.explanation?.denial_reason, explained.text).toBe("misconfigured_publishable_key");
    }
    expect((await employer.exchange(stored, employer.assertion())).status).toBe(200);
    const exchanged = await employer.exchange(stored, employer.assertion(), {}, renamed);
    expect([exchanged.status, exchanged.json.error]).toEqual([400, "invalid_grant"]);
    const path = "/api/v1/federation/rules/check";
    const asked = { rule_id: stored, assertion: employer.assertion() };
    const { json } = await renamed.call(path, asked, await latchkey.dashboard(employer.tenant));
    expect(json.steps[0]).toMatchObject({ name: "status", passed: false });
    expect(json.steps[0].detail).toContain("must not lead to this service");
  });
});
