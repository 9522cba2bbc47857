import { afterAll, beforeAll, expect, test } from "vitest";
import { accessRules } from "../harness/access-rules.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { type SignedIn, signIn } from "../identity/sign-in.ts";
import { type Keycloak, startKeycloak } from "./keycloak.ts";

// As docs/guides/identity/keycloak.md says: the tenant is pushed into an attribute of the user, which a mapper puts into
// tokens; roles are the realm's.

const APP = "http://127.0.0.1:9/callback";
const PASSWORD = "a-password-of-this-test";

let keycloak: Keycloak;
let latchkey: Latchkey;
let issuer: string;

const inTokens = { "id.token.claim": "true", "access.token.claim": "true" };
const REALM = {
  realm: "test",
  enabled: true,
  roles: { realm: [{ name: "developer" }, { name: "viewer" }] },
  clients: [
    {
      clientId: "console",
      publicClient: true,
      standardFlowEnabled: true,
      redirectUris: [APP],
      attributes: { "id.token.signed.response.alg": "ES256", "access.token.signed.response.alg": "ES256" },
      protocolMappers: [
        {
          name: "tenant",
          protocol: "openid-connect",
          protocolMapper: "oidc-usermodel-attribute-mapper",
          config: { "user.attribute": "tenant_id", "claim.name": "tenant_id", "jsonType.label": "String", ...inTokens },
        },
        {
          name: "roles",
          protocol: "openid-connect",
          protocolMapper: "oidc-usermodel-realm-role-mapper",
          config: { "claim.name": "realm_access.roles", multivalued: "true", "jsonType.label": "String", ...inTokens },
        },
      ],
    },
  ],
  users: [
    {
      username: "alice",
      firstName: "Alice",
      lastName: "Example",
      email: "alice@example.com",
      emailVerified: true,
      enabled: true,
      realmRoles: ["developer"],
      credentials: [{ type: "password", value: PASSWORD, temporary: false }],
    },
  ],
};

beforeAll(async () => {
  keycloak = await startKeycloak();
  await keycloak.admin("POST", "realms", REALM);
  const profile = (await keycloak.admin("GET", "realms/test/users/profile")) as object;
  await keycloak.admin("PUT", "realms/test/users/profile", { ...profile, unmanagedAttributePolicy: "ADMIN_EDIT" });
  issuer = `${keycloak.url}/realms/test`;
  const jwksUrl = `${issuer}/protocol/openid-connect/certs`;
  latchkey = await startLatchkey({
    config: {
      dashboard: {
        expectation: { issuer, jwksUrl, audience: "console", jwksOwner: { kind: "operator" } },
        userIdClaim: "sub",
        tenantClaim: "tenant_id",
        requiredClaims: { typ: "ID" },
      },
      access: accessRules({ rolesClaim: "realm_access.roles" }),
      jwksAllowedHosts: [new URL(keycloak.url).host],
    },
  });
}, 900_000);

afterAll(async () => {
  await latchkey?.close();
  await keycloak?.stop();
});

const call = (path: string, { idToken }: SignedIn, body: object = {}) =>
  latchkey.call(`/api/v1/${path}`, body, { authorization: `Bearer ${idToken}` });

test("a user of Keycloak founds an organization, whose tenant their next token has, and manages keys by their role", async () => {
  const stranger = await signIn(issuer, "console", APP, { username: "alice", password: PASSWORD });
  expect((await call("api-keys/list", stranger)).json.denial_reason).toBe("tenant_required");
  const org = (await call("orgs/create", stranger, { name: "Acme" })).json.result;

  const [user] = (await keycloak.admin("GET", "realms/test/users?username=alice")) as { id: string }[];
  const attributes = { tenant_id: [org.tenant_id] };
  await keycloak.admin("PUT", `realms/test/users/${user?.id}`, { ...user, attributes });

  const alice = await stranger.refresh();
  expect((await call("auth/verify", alice)).json).toMatchObject({ tenant_id: org.tenant_id, user_id: user?.id });
  const key = { name: "key", permissions: ["plans:read"] };
  expect((await call("api-keys/create", alice, key)).status).toBe(200);
  const beyond = await call("api-keys/create", alice, { ...key, permissions: ["billing:read"] });
  expect(beyond.json).toMatchObject({ denial_reason: "insufficient_scope" });
});

test("a publishable key admits the ID token, and by requiredClaims not the access token", async () => {
  const tokens = await signIn(issuer, "console", APP, { username: "alice", password: PASSWORD });
  const { key } = await latchkey.createKey(
    { authorization: `Bearer ${tokens.idToken}` },
    {
      keyType: "KEY_TYPE_PUBLISHABLE",
      permissions: ["conversations:read"],
      publishableConfig: {
        oidc: {
          issuer,
          jwksUrl: `${issuer}/protocol/openid-connect/certs`,
          audience: "console",
          requiredClaims: { typ: "ID" },
        },
      },
    },
  );
  const verify = (token: string) =>
    latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key, authorization: `Bearer ${token}` });
  expect((await verify(tokens.idToken)).json).toMatchObject({ caller: "CALLER_PUBLISHABLE_KEY" });
  expect((await verify(tokens.accessToken)).json.denial_reason).toMatch(/^jwt_(malformed|invalid_audience)$/);
});
