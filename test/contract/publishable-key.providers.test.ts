// promise: oidc.form, oidc.narrowing, oidc.same-user
import { beforeAll, describe, expect, test } from "vitest";
import { type PublishableService, sharedPublishable, USER_KEY } from "../harness/publishable.ts";
import { generateKey, type SigningKey } from "../jwks/provider.ts";

const RSA = generateKey("RS256", { kid: "rsa" });

let service: PublishableService;

beforeAll(async () => {
  service = await sharedPublishable();
});

/** A token in the form of a provider's documentation, and the configuration with which it works. */
interface Shape {
  readonly name: string;
  readonly oidc: Record<string, unknown>;
  /** Claims beside `iss`, `iat` and `exp`; undefined leaves one out. */
  readonly claims: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly key?: SigningKey;
  readonly userId: string;
  /** Tokens of the same provider that must not pass, by their differences, and why. */
  readonly refused: readonly (readonly [string, { claims?: object; header?: object }])[];
}

const SHAPES: readonly Shape[] = [
  {
    name: "Auth0, an access token for an API with userinfo, of two apps",
    oidc: {
      issuer: "https://tenant.eu.auth0.com/",
      audience: "https://api.example.com",
      authorizedParties: ["spa-client", "ios-client"],
      userIdPrefix: "",
    },
    claims: {
      aud: ["https://api.example.com", "https://tenant.eu.auth0.com/userinfo"],
      azp: "spa-client",
      sub: "auth0|5f7c8ec7c33c6c004bbafe82",
      scope: "openid profile email",
      gty: "password",
    },
    header: { typ: "JWT" },
    key: RSA,
    userId: "auth0|5f7c8ec7c33c6c004bbafe82",
    refused: [
      ["jwt_invalid_audience", { claims: { azp: "somebody-elses-client" } }],
      ["jwt_invalid_audience", { claims: { azp: undefined } }],
      ["jwt_invalid_audience", { claims: { aud: ["https://tenant.eu.auth0.com/userinfo"] } }],
    ],
  },
  {
    name: "Clerk, a session token without aud",
    oidc: {
      issuer: "https://clean-mayfly-62.clerk.accounts.dev",
      audience: "https://app.example.com",
      audienceClaim: "azp",
      claimRules: [{ claim: "sts", equals: "active" }],
    },
    claims: {
      aud: undefined,
      azp: "https://app.example.com",
      sub: "user_2abc",
      sid: "sess_2abc",
      v: 2,
      sts: "active",
      o: { id: "org_2abc", rol: "admin", slg: "acme" },
    },
    header: { typ: "JWT", cat: "cl_B7d4PD111AAA" },
    key: RSA,
    userId: "user_2abc",
    refused: [
      ["jwt_invalid_audience", { claims: { azp: "https://evil.example.com" } }],
      ["jwt_invalid_audience", { claims: { aud: "https://other.example.com" } }],
      ["jwt_invalid_audience", { claims: { azp: undefined } }],
      ["jwt_malformed", { claims: { sts: "pending" } }],
    ],
  },
  {
    name: "Supabase, users who are not anonymous",
    oidc: {
      issuer: "https://ref.supabase.co/auth/v1",
      audience: "authenticated",
      claimRules: [{ claim: "is_anonymous", equals: false }],
    },
    claims: {
      aud: "authenticated",
      sub: "8ccaa7af-909f-44e7-84cb-67cdccb56be6",
      email: "user@example.com",
      role: "authenticated",
      aal: "aal1",
      session_id: "1ff4b4b4-0000-4000-8000-000000000000",
      is_anonymous: false,
      app_metadata: { provider: "email", providers: ["email"] },
      user_metadata: {},
    },
    userId: "8ccaa7af-909f-44e7-84cb-67cdccb56be6",
    refused: [
      ["jwt_malformed", { claims: { is_anonymous: true } }],
      ["jwt_malformed", { claims: { is_anonymous: "false" } }],
      ["jwt_malformed", { claims: { is_anonymous: undefined } }],
    ],
  },
  {
    name: "Keycloak, an ID token, pinned by the claim typ and a role",
    oidc: {
      issuer: "https://sso.example.com/realms/acme",
      audience: "my.client",
      requiredClaims: { typ: "ID" },
      claimRules: [{ claim: "resource_access.my.client.roles", contains: "member" }],
    },
    claims: {
      aud: "my.client",
      azp: "my.client",
      sub: "f:1:anna",
      typ: "ID",
      email_verified: true,
      resource_access: { "my.client": { roles: ["member", "offline_access"] } },
    },
    key: RSA,
    userId: "f:1:anna",
    refused: [
      ["jwt_malformed", { claims: { typ: "Bearer" } }],
      ["jwt_malformed", { claims: { typ: "Logout" } }],
      ["jwt_malformed", { claims: { resource_access: { "my.client": { roles: ["members"] } } } }],
    ],
  },
  {
    name: "Cognito, an access token without aud",
    oidc: {
      issuer: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc",
      audience: "4kmk5vpabc",
      audienceClaim: "client_id",
      requiredClaims: { token_use: "access" },
      claimRules: [{ claim: "cognito:groups", contains: "staff" }],
    },
    claims: {
      aud: undefined,
      client_id: "4kmk5vpabc",
      token_use: "access",
      sub: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
      username: "anna",
      scope: "openid",
      "cognito:groups": ["staff"],
    },
    header: { typ: undefined },
    key: RSA,
    userId: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
    refused: [
      ["jwt_invalid_audience", { claims: { client_id: "another-app" } }],
      ["jwt_malformed", { claims: { token_use: "id", aud: "4kmk5vpabc" } }],
      ["jwt_malformed", { claims: { "cognito:groups": ["guests"] } }],
    ],
  },
  {
    name: "Entra, a v2 access token, by oid",
    oidc: {
      issuer: "https://login.microsoftonline.com/9122040d-6c67-4c5b-b112-36a304b66dad/v2.0",
      audience: "ef1da9d4-ff77-4c3e-a005-840c3f830745",
      userIdClaim: "oid",
      requiredClaims: { tid: "9122040d-6c67-4c5b-b112-36a304b66dad", ver: "2.0" },
      claimRules: [{ claim: "scp", contains: "access_as_user" }],
    },
    claims: {
      aud: "ef1da9d4-ff77-4c3e-a005-840c3f830745",
      tid: "9122040d-6c67-4c5b-b112-36a304b66dad",
      ver: "2.0",
      sub: "pairwise-AAAA",
      oid: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
      scp: "access_as_user profile",
    },
    key: RSA,
    userId: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
    refused: [
      ["jwt_malformed", { claims: { scp: "profile" } }],
      ["jwt_invalid_issuer", { claims: { iss: "https://sts.windows.net/9122040d-6c67-4c5b-b112-36a304b66dad/" } }],
    ],
  },
  {
    name: "Okta, an access token of a custom server, by uid",
    oidc: {
      issuer: "https://acme.okta.com/oauth2/default",
      audience: "api://default",
      userIdClaim: "uid",
      requiredClaims: { cid: "0oabucvyc38HLL1ef0h7" },
    },
    claims: {
      aud: "api://default",
      ver: 1,
      cid: "0oabucvyc38HLL1ef0h7",
      uid: "00u1abcd",
      scp: ["openid", "email"],
      sub: "anna@example.com",
    },
    header: { typ: undefined },
    key: RSA,
    userId: "00u1abcd",
    refused: [
      ["jwt_malformed", { claims: { cid: "another-app" } }],
      ["user_id_claim_not_found", { claims: { uid: undefined } }],
    ],
  },
  {
    name: "Firebase, an ID token",
    oidc: {
      issuer: "https://securetoken.google.com/my-project",
      audience: "my-project",
      claimRules: [{ claim: "firebase.sign_in_provider", equals: "password" }],
      userIdPrefix: "firebase|",
    },
    claims: {
      aud: "my-project",
      auth_time: 1_700_000_000,
      user_id: "Hg0abc",
      sub: "Hg0abc",
      firebase: { identities: {}, sign_in_provider: "password" },
    },
    key: RSA,
    userId: "firebase|Hg0abc",
    refused: [["jwt_malformed", { claims: { firebase: { sign_in_provider: "anonymous" } } }]],
  },
  {
    name: "Stytch, a session JWT whose issuer is no URL",
    oidc: { issuer: "stytch.com/project-test-11111111-1111-1111-1111-111111111111", audience: "project-test-1111" },
    claims: {
      aud: ["project-test-1111"],
      sub: "user-test-1",
      "https://stytch.com/session": { id: "session-test-1", roles: ["stytch_member"] },
    },
    key: RSA,
    userId: "user-test-1",
    refused: [["jwt_invalid_issuer", { claims: { iss: "https://stytch.com/project-test-1111" } }]],
  },
  {
    name: "an issuer that marks access tokens (RFC 9068)",
    oidc: { issuer: "https://as.example", audience: "api", tokenType: "access" },
    claims: { aud: "api", client_id: "web", sub: "u1", jti: "1" },
    header: { typ: "application/AT+JWT" },
    userId: "u1",
    refused: [
      ["jwt_malformed", { header: { typ: "JWT" } }],
      ["jwt_malformed", { header: { typ: undefined } }],
    ],
  },
  {
    name: "an issuer whose ID tokens alone are taken",
    oidc: { issuer: "https://as.example", audience: "web", tokenType: "id" },
    claims: { aud: "web", sub: "u1" },
    userId: "u1",
    refused: [["jwt_malformed", { header: { typ: "at+jwt" } }]],
  },
];

describe.each(SHAPES)("$name", ({ oidc, claims, header, key = USER_KEY, userId, refused }) => {
  test("works, again from the cache, and is explained", async () => {
    const app = await service.newApp({ keys: [key], oidc });
    const token = app.token(claims, key, header);
    for (let n = 0; n < 2; n++) {
      const answer = await app.verify(token);
      expect(answer.json, answer.text).toMatchObject({ caller: "CALLER_PUBLISHABLE_KEY", user_id: userId });
    }
    const checked = await service.latchkey.call(
      "/api/v1/api-keys/check-oidc",
      { key_id: app.keyId, token },
      await service.latchkey.dashboard(app.tenant),
    );
    expect(checked.json.passed, checked.text).toBe(true);
  });

  test("refuses the provider's other tokens, again from the cache", async () => {
    const app = await service.newApp({ keys: [key], oidc });
    // Has the same claims and signer, but no restrictions: it puts the tokens into the cache of the shared key set.
    const { issuer, audience } = app;
    const open = await service.newApp({
      keys: [key],
      document: app.document,
      oidc: { issuer, audience, jwksUrl: app.document.url, audienceClaim: oidc.audienceClaim },
    });
    for (const [reason, other] of refused) {
      const token = app.token({ ...claims, ...other.claims }, key, { ...header, ...other.header });
      await open.verify(token);
      for (let n = 0; n < 2; n++) expect([other, await app.outcomeOf(token)]).toEqual([other, reason]);
    }
  });
});

test("one token is decided by each key's own token type, whichever key cached it", async () => {
  const issuer = "https://as.example";
  const document = service.keyHost.document(USER_KEY.jwk);
  const oidc = { issuer, audience: "api", jwksUrl: document.url };
  const [any, id, access] = await Promise.all(
    ["any", "id", "access"].map((tokenType) => service.newApp({ document, oidc: { ...oidc, tokenType } })),
  );
  const access9068 = any?.token({}, USER_KEY, { typ: "at+jwt" }) ?? "";
  const plain = any?.token() ?? "";
  const outcomes = async (token: string) => [
    await any?.outcomeOf(token),
    await id?.outcomeOf(token),
    await access?.outcomeOf(token),
  ];
  for (let n = 0; n < 3; n++) {
    expect(await outcomes(access9068)).toEqual(["admitted", "jwt_malformed", "admitted"]);
    expect(await outcomes(plain)).toEqual(["admitted", "admitted", "jwt_malformed"]);
  }
});

// threat: X9
test("a prefix makes two issuers' users of one id two users of the tenant", async () => {
  const first = await service.newApp();
  const second = await service.newApp({ tenant: first.tenant, oidc: { userIdPrefix: "second|" } });
  const users = [await first.verify(), await second.verify()].map(({ json }) => json.user_id);
  expect(users).toEqual(["user_1", "second|user_1"]);
});
