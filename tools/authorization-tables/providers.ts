/**
 * Tokens shaped as identity providers make them, with the configuration that reads them. The shapes follow the providers'
 * public documentation, which `source` names, as of 2026-11; they were not taken from accounts. The page's table is made from
 * this list, and a test has the gate check a token of each.
 */
export interface ProviderShape {
  readonly name: string;
  /** The page of `docs/guides/identity` that says what to set at the provider. */
  readonly guide: string;
  readonly source: string;
  readonly variables: {
    /** Default: `sub`. */
    readonly OIDC_USER_ID_CLAIM?: string;
    readonly OIDC_TENANT_CLAIM: string;
    readonly OIDC_ROLES_CLAIM: string;
    readonly OIDC_REQUIRED_CLAIMS?: string;
  };
  /** The content of ROLES_FILE, by the names of the provider. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** The `typ` of the token's header; absent where null. */
  readonly typ: string | null;
  /** With `iss` and `aud`; `iat` and `exp` are added. */
  readonly claims: Readonly<Record<string, unknown>> & {
    readonly iss: string;
    readonly aud: string | readonly string[];
  };
  readonly expected: { readonly userId: string; readonly tenantId: string; readonly permissions: readonly string[] };
  /** Tokens of users without a role, by what they show. Undefined leaves a claim out. */
  readonly withoutRoles: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What `OIDC_AUDIENCE` is for all of them. */
export const AUDIENCE = "console";

const ADMIN = ["api_keys:*", "plans:*"];
const READER = ["api_keys:read"];

const keycloak = {
  source: "keycloak.org/docs: server administration, client scopes and protocol mappers",
  typ: "JWT",
  claims: {
    iss: "https://keycloak.example/realms/acme",
    aud: [AUDIENCE, "account"],
    sub: "36fa0f91-f94d-4a0c-afed-6b7d952e47da",
    typ: "Bearer",
    azp: AUDIENCE,
    acr: "1",
    scope: "openid email profile",
    realm_access: { roles: ["offline_access", "uma_authorization", "default-roles-acme", "key-admin"] },
    resource_access: { "my.client": { roles: ["key-reader"] }, account: { roles: ["manage-account", "view-profile"] } },
    tenant_id: "ten_acme",
  },
} as const;

const entra = {
  source: "learn.microsoft.com/entra/identity-platform: id-token-claims-reference",
  typ: "JWT",
  claims: {
    iss: "https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
    aud: AUDIENCE,
    sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
    oid: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
    tid: "72f988bf-86f1-41af-91ab-2d7cd011db47",
    ver: "2.0",
    name: "Avery Howard",
    preferred_username: "avery@example.com",
    roles: ["Keys.Admin"],
    groups: ["0760b6cf-170e-4a14-91b3-4b78e0739963", "3b2b0c93-acd8-4208-8eba-7a48db1cd4c0"],
  },
} as const;

const entraUser = { userId: entra.claims.oid, tenantId: entra.claims.tid };

const clerk = {
  source: "clerk.com/docs/guides/sessions/session-tokens",
  typ: "JWT",
  claims: {
    iss: "https://clerk.example.com",
    aud: AUDIENCE,
    azp: "https://console.example.com",
    sub: "user_2a9sdXYZabcDEF",
    sid: "sess_2aCBTqDmLzzz",
    fva: [7, -1],
    sts: "active",
  },
} as const;

export const PROVIDERS: readonly ProviderShape[] = [
  {
    ...keycloak,
    name: "Keycloak, realm roles",
    guide: "keycloak",
    variables: { OIDC_TENANT_CLAIM: "tenant_id", OIDC_ROLES_CLAIM: "realm_access.roles" },
    roles: { "key-admin": ADMIN },
    expected: { userId: keycloak.claims.sub, tenantId: "ten_acme", permissions: ADMIN },
    withoutRoles: {
      "an ID token, which has none by default": { realm_access: undefined, resource_access: undefined, typ: "ID" },
      "the roles of every user alone": { realm_access: { roles: ["offline_access", "default-roles-acme"] } },
    },
  },
  {
    ...keycloak,
    name: "Keycloak, roles of a client",
    guide: "keycloak",
    variables: { OIDC_TENANT_CLAIM: "tenant_id", OIDC_ROLES_CLAIM: "resource_access.my.client.roles" },
    roles: { "key-reader": READER },
    expected: { userId: keycloak.claims.sub, tenantId: "ten_acme", permissions: READER },
    withoutRoles: {
      "the roles of another client": { resource_access: { client: { roles: ["key-reader"] } } },
    },
  },
  {
    name: "Auth0",
    guide: "auth0",
    source: "auth0.com/docs: enable RBAC for APIs, and work with tokens and organizations",
    variables: { OIDC_TENANT_CLAIM: "org_id", OIDC_ROLES_CLAIM: "permissions" },
    roles: { "manage:keys": ADMIN, "read:keys": READER },
    typ: "at+jwt",
    claims: {
      iss: "https://acme.eu.auth0.com/",
      aud: [AUDIENCE, "https://acme.eu.auth0.com/userinfo"],
      sub: "auth0|507f1f77bcf86cd799439011",
      azp: "my_client_id",
      org_id: "org_9ybsU1dN2dKfDkBi",
      scope: "openid profile",
      permissions: ["read:keys", "manage:keys"],
    },
    expected: {
      userId: "auth0|507f1f77bcf86cd799439011",
      tenantId: "org_9ybsU1dN2dKfDkBi",
      permissions: [...READER, ...ADMIN],
    },
    withoutRoles: {
      "an ID token, which has no permissions": { permissions: undefined, aud: AUDIENCE },
      "scopes that the client asked for": { permissions: [], scope: "manage:keys" },
    },
  },
  {
    ...clerk,
    name: "Clerk, tokens of version 2",
    guide: "clerk",
    variables: { OIDC_TENANT_CLAIM: "o.id", OIDC_ROLES_CLAIM: "o.rol" },
    roles: { admin: ADMIN, member: READER },
    claims: {
      ...clerk.claims,
      v: 2,
      pla: "o:pro",
      fea: "o:keys",
      o: { id: "org_2abc", slg: "acme", rol: "member", per: "read", fpm: "1" },
    },
    expected: { userId: clerk.claims.sub, tenantId: "org_2abc", permissions: READER },
    withoutRoles: {
      "the name as tokens of version 1 have it": { o: { id: "org_2abc", rol: "org:admin" } },
      "permissions, which are half of a bit mask": { o: { id: "org_2abc", per: "admin,member", fpm: "3" } },
    },
  },
  {
    ...clerk,
    name: "Clerk, tokens of version 1",
    guide: "clerk",
    variables: { OIDC_TENANT_CLAIM: "org_id", OIDC_ROLES_CLAIM: "org_role" },
    roles: { "org:admin": ADMIN, "org:member": READER },
    claims: {
      ...clerk.claims,
      org_id: "org_2abc",
      org_slug: "acme",
      org_role: "org:admin",
      org_permissions: ["org:keys:manage"],
    },
    expected: { userId: clerk.claims.sub, tenantId: "org_2abc", permissions: ADMIN },
    withoutRoles: { "a name of version 2": { org_role: "member" } },
  },
  {
    ...entra,
    name: "Entra, app roles",
    guide: "entra",
    variables: { OIDC_USER_ID_CLAIM: "oid", OIDC_TENANT_CLAIM: "tid", OIDC_ROLES_CLAIM: "roles" },
    roles: { "Keys.Admin": ADMIN },
    expected: { ...entraUser, permissions: ADMIN },
    withoutRoles: { "no app role": { roles: undefined } },
  },
  {
    ...entra,
    name: "Entra, groups",
    guide: "entra",
    variables: { OIDC_USER_ID_CLAIM: "oid", OIDC_TENANT_CLAIM: "tid", OIDC_ROLES_CLAIM: "groups" },
    roles: { "0760b6cf-170e-4a14-91b3-4b78e0739963": READER },
    expected: { ...entraUser, permissions: READER },
    withoutRoles: {
      "more than 200 groups, which the token leaves out": {
        groups: undefined,
        _claim_names: { groups: "src1" },
        _claim_sources: { src1: { endpoint: "https://graph.example/users/690222be/getMemberObjects" } },
      },
    },
  },
  {
    name: "Okta",
    guide: "okta",
    source: "developer.okta.com/docs: customize-tokens-groups-claim, validate-access-tokens",
    variables: { OIDC_USER_ID_CLAIM: "uid", OIDC_TENANT_CLAIM: "tenant_id", OIDC_ROLES_CLAIM: "groups" },
    roles: { "Key administrators": ADMIN },
    typ: null,
    claims: {
      iss: "https://acme.okta.com/oauth2/default",
      aud: AUDIENCE,
      ver: 1,
      jti: "AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE",
      cid: "nmdP1fcyvdVO11AL7ECm",
      uid: "00ujmkLgagxeRrAg20g3",
      scp: ["openid", "profile"],
      sub: "avery@example.com",
      groups: ["Everyone", "Key administrators"],
      tenant_id: "ten_acme",
    },
    expected: { userId: "00ujmkLgagxeRrAg20g3", tenantId: "ten_acme", permissions: ADMIN },
    withoutRoles: {
      "no claim of groups, as by default": { groups: undefined },
      "one group alone": { groups: ["Everyone"] },
    },
  },
  {
    name: "Cognito",
    guide: "cognito",
    source: "docs.aws.amazon.com/cognito: understanding user pool JSON web tokens",
    variables: {
      OIDC_TENANT_CLAIM: "custom:tenant_id",
      OIDC_ROLES_CLAIM: "cognito:groups",
      OIDC_REQUIRED_CLAIMS: '{"token_use": "id"}',
    },
    roles: { KeyAdmins: ADMIN, KeyReaders: READER },
    typ: null,
    claims: {
      iss: "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_ABC123",
      aud: AUDIENCE,
      sub: "248289dc-4bd5-4a3b-8f0e-b1c2d3f2f44a",
      token_use: "id",
      "cognito:username": "avery",
      "cognito:groups": ["KeyReaders", "us-east-1_ABC123_Google"],
      "custom:tenant_id": "ten_acme",
      email_verified: true,
    },
    expected: { userId: "248289dc-4bd5-4a3b-8f0e-b1c2d3f2f44a", tenantId: "ten_acme", permissions: READER },
    withoutRoles: {
      "no group": { "cognito:groups": undefined },
      "an IAM role": { "cognito:groups": undefined, "cognito:roles": ["KeyAdmins"] },
    },
  },
  {
    name: "Supabase",
    guide: "supabase",
    source: "supabase.com/docs/guides/auth/jwt-fields",
    variables: { OIDC_TENANT_CLAIM: "app_metadata.tenant_id", OIDC_ROLES_CLAIM: "app_metadata.roles" },
    roles: { keys_admin: ADMIN },
    typ: "JWT",
    claims: {
      iss: "https://abcdefghijklmnop.supabase.co/auth/v1",
      aud: AUDIENCE,
      sub: "5d2b0c7e-6f0b-4bb5-8d0c-3f6f7d9f0f11",
      role: "authenticated",
      aal: "aal1",
      session_id: "b0c5e0a4-7d0e-4c5a-9d8c-2b4d1f0e9a11",
      is_anonymous: false,
      app_metadata: { provider: "email", providers: ["email"], tenant_id: "ten_acme", roles: ["keys_admin"] },
      user_metadata: { name: "Avery" },
    },
    expected: { userId: "5d2b0c7e-6f0b-4bb5-8d0c-3f6f7d9f0f11", tenantId: "ten_acme", permissions: ADMIN },
    withoutRoles: {
      "roles that the user has written": {
        app_metadata: { tenant_id: "ten_acme" },
        user_metadata: { roles: ["keys_admin"], "app_metadata.roles": ["keys_admin"] },
      },
      "the role of the database": { app_metadata: { tenant_id: "ten_acme" }, role: "keys_admin" },
    },
  },
  {
    name: "WorkOS",
    guide: "workos",
    source: "workos.com/docs/reference/authkit/session-tokens",
    variables: { OIDC_TENANT_CLAIM: "org_id", OIDC_ROLES_CLAIM: "roles" },
    roles: { member: READER, "key-admin": ADMIN },
    typ: null,
    claims: {
      iss: "https://api.workos.com/user_management/client_123456789",
      aud: AUDIENCE,
      sub: "user_01HBEQKA6K4QJAS93VPE39W1JT",
      sid: "session_01HQSXZGF8FHF7A9ZZFCW4387R",
      jti: "01HQSXZXPPFPKMDD32RKTFY6PV",
      org_id: "org_01HRDMC6CM357W30QMHMQ96Q0S",
      role: "member",
      roles: ["member"],
      permissions: ["posts:read", "posts:write"],
      entitlements: ["audit-logs"],
    },
    expected: {
      userId: "user_01HBEQKA6K4QJAS93VPE39W1JT",
      tenantId: "org_01HRDMC6CM357W30QMHMQ96Q0S",
      permissions: READER,
    },
    withoutRoles: { "no role": { role: undefined, roles: [] } },
  },
  {
    name: "Zitadel",
    guide: "zitadel",
    source: "zitadel.com/docs/apis/openidoauth/claims",
    variables: {
      OIDC_TENANT_CLAIM: "urn:zitadel:iam:user:resourceowner:id",
      OIDC_ROLES_CLAIM: "urn:zitadel:iam:org:project:roles",
    },
    roles: { "key-admin": ADMIN, "key-reader": READER },
    typ: null,
    claims: {
      iss: "https://acme.zitadel.cloud",
      aud: ["69234237810729019", AUDIENCE],
      sub: "77776025198584418",
      "urn:zitadel:iam:user:resourceowner:id": "69629023906488334",
      "urn:zitadel:iam:user:resourceowner:name": "Acme",
      "urn:zitadel:iam:org:project:roles": { "key-reader": { "69629023906488334": "acme.zitadel.cloud" } },
    },
    expected: { userId: "77776025198584418", tenantId: "69629023906488334", permissions: READER },
    withoutRoles: {
      "no role": { "urn:zitadel:iam:org:project:roles": undefined },
      "the name of an organization": { "urn:zitadel:iam:org:project:roles": { other: { "key-admin": "key-admin" } } },
    },
  },
  {
    name: "Stytch B2B",
    guide: "stytch",
    source: "stytch.com/docs/b2b: sessions; npm package stytch, dist/b2b/sessions.js",
    variables: {
      OIDC_TENANT_CLAIM: "https://stytch.com/organization.organization_id",
      OIDC_ROLES_CLAIM: "https://stytch.com/session.roles",
    },
    roles: { stytch_admin: ADMIN, key_reader: READER },
    typ: "JWT",
    claims: {
      iss: "https://login.example.com",
      aud: [AUDIENCE],
      sub: "member-live-1c0f8e1a-3d5d-4f2b-9a86-07c2d1f4c111",
      "https://stytch.com/session": {
        id: "member-session-live-fe6c042b-6286-479f-8a4f-b046a6c46509",
        started_at: "2026-11-23T12:00:00Z",
        roles: ["stytch_member", "key_reader"],
      },
      "https://stytch.com/organization": { organization_id: "organization-live-c1b2", slug: "acme" },
    },
    expected: {
      userId: "member-live-1c0f8e1a-3d5d-4f2b-9a86-07c2d1f4c111",
      tenantId: "organization-live-c1b2",
      permissions: READER,
    },
    withoutRoles: { "custom claims of the session": { "https://stytch.com/session": {}, roles: ["stytch_admin"] } },
  },
  {
    name: "better-auth",
    guide: "better-auth",
    source: "better-auth.com/docs/plugins: jwt (definePayload) and organization",
    variables: { OIDC_TENANT_CLAIM: "tenant_id", OIDC_ROLES_CLAIM: "role" },
    roles: { owner: ADMIN, auditor: READER },
    typ: null,
    claims: {
      iss: "https://app.example.com",
      aud: AUDIENCE,
      sub: "uP3xQ",
      tenant_id: "ten_acme",
      role: "member,auditor",
    },
    expected: { userId: "uP3xQ", tenantId: "ten_acme", permissions: READER },
    withoutRoles: { "no member": { role: null } },
  },
];
