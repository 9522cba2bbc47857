import { errorRefs } from "./errors.ts";
import type { JsonObject } from "./json.ts";

const TENANT_ID = "ten_d59cf697afdbddd60a1fd0ac71439134";
const CLAIMS = { tenant_id: TENANT_ID, roles: ["owner"] };
const PROVIDE_CLAIMS = "microsoft.graph.tokenIssuanceStart.provideClaimsForToken";

/** The path that is no RPC, since identity providers decide what its messages are. */
export const IDENTITY_CLAIMS_PATH = "/api/v1/identity/claims";

export const IDENTITY_TAG: JsonObject = {
  name: "Identity",
  description: "What the login hook of the platform's identity provider asks.",
};

/** How the hook says who it is. */
export const HOOK_SECURITY_SCHEMES: JsonObject = {
  HookSecret: {
    type: "http",
    scheme: "bearer",
    description:
      "The login hook of the identity provider: one of the secrets of `IDENTITY_HOOK_SECRET`. Okta's header may hold it without `Bearer`.",
  },
  HookSignature: {
    type: "apiKey",
    in: "header",
    name: "webhook-signature",
    description:
      "A signature with that secret: Standard Webhooks 1.0 (`webhook-id`, `webhook-timestamp`, `webhook-signature`), or `ZITADEL-Signature`. It is valid for 5 minutes.",
  },
};

/** What each dialect sends, of which only the user's id is read, and for some what has to be sent back. */
const REQUESTS: readonly JsonObject[] = [
  { sub: "user-42", issuer: "https://login.example.com" },
  { user_id: "user-42", claims: { sub: "user-42", role: "authenticated" }, authentication_method: "password" },
  { data: { context: { user: { id: "user-42" } } } },
  { data: { authenticationContext: { user: { id: "user-42" } } } },
  { session: { id_token: { subject: "user-42", id_token_claims: { ext: {} } }, extra: {} } },
  { function: "function/preuserinfo", userinfo: { sub: "user-42" } },
];

const ANSWER: JsonObject = {
  oneOf: [
    {
      title: "The answer without dialect",
      type: "object",
      properties: {
        tenant_id: text("The tenant of the user's current organization. Empty: there is none."),
        roles: roles("The user's roles in that tenant. Empty: there is no tenant."),
        tenants: {
          type: "array",
          description: "All organizations of the user, by name.",
          items: {
            type: "object",
            properties: {
              tenant_id: text("The tenant."),
              name: text("Name of its organization."),
              roles: roles("The user's roles in it."),
            },
            required: ["tenant_id", "name", "roles"],
          },
        },
      },
      required: ["tenant_id", "roles", "tenants"],
    },
    answerOf("supabase", "claims", open("All claims of the request, with the tenant's.")),
    answerOf("okta", "commands", { type: "array", items: open("A patch of the token's claims.") }),
    answerOf("entra", "data", open("Claims for the token, with Microsoft Graph's type names.")),
    answerOf("hydra", "session", open("The claims of both tokens, with those of the request.")),
    answerOf("zitadel", "append_claims", { type: "array", items: open("A claim: its `key` and its `value`.") }),
  ],
  examples: [
    { claims: { sub: "user-42", role: "authenticated", ...CLAIMS } },
    {
      commands: [{ type: "com.okta.identity.patch", value: [{ op: "add", path: "/claims/roles", value: ["owner"] }] }],
    },
    {
      data: {
        "@odata.type": "microsoft.graph.onTokenIssuanceStartResponseData",
        actions: [{ "@odata.type": PROVIDE_CLAIMS, claims: CLAIMS }],
      },
    },
    { session: { access_token: CLAIMS, id_token: CLAIMS } },
    { append_claims: [{ key: "tenant_id", value: TENANT_ID }] },
  ],
};

/** What the document says of the path. */
export const IDENTITY_CLAIMS: JsonObject = {
  operationId: "identityClaims",
  summary: "Which tenant and roles a user's next token gets.",
  description:
    "A provider's login hook asks it at each sign-in and each refresh. A user without a tenant is a 200, since a provider would take an error for an outage. Users are looked up by their id, never by an email address.\n\nWith `dialect` the request and the answer are those of that provider's hooks. Without `IDENTITY_HOOK_SECRET` there is no such path: 404.",
  tags: ["Identity"],
  security: [{ HookSecret: [] }, { HookSignature: [] }],
  parameters: [
    { $ref: "#/components/parameters/RequestId" },
    {
      name: "dialect",
      in: "query",
      required: false,
      description: "The provider whose form the request has. Default: the form of `sub` and `issuer`.",
      schema: { type: "string", enum: ["supabase", "okta", "entra", "hydra", "zitadel"] },
    },
  ],
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: {
          type: "object",
          description: "Without `dialect`: the user. With it: what the provider sends.",
          properties: {
            sub: text(
              "Identifier of the user, as the tokens' claim of `OIDC_USER_ID_CLAIM` has it. Required without `dialect`.",
            ),
            issuer: text("Issuer of the user's tokens. Default: `OIDC_ISSUER`."),
          },
          additionalProperties: true,
          examples: REQUESTS,
        },
        example: REQUESTS[0] ?? {},
      },
    },
  },
  responses: {
    "200": {
      description: "The tenant and the roles, for the user's token.",
      headers: {
        "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
        "Cache-Control": { $ref: "#/components/headers/Cache-Control" },
      },
      content: {
        "application/json": {
          schema: ANSWER,
          example: { ...CLAIMS, tenants: [{ tenant_id: TENANT_ID, name: "Acme", roles: ["owner"] }] },
        },
      },
    },
    "204": {
      description: "To Okta, for a user without a tenant: the token stays as it is.",
      headers: { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } },
    },
    ...errorRefs([404]),
  },
};

function text(description: string): JsonObject {
  return { type: "string", description };
}

function roles(description: string): JsonObject {
  return { type: "array", description, items: { type: "string" } };
}

function open(description: string): JsonObject {
  return { type: "object", description, additionalProperties: true };
}

function answerOf(dialect: string, member: string, schema: JsonObject): JsonObject {
  return { title: `The answer to ${dialect}`, type: "object", properties: { [member]: schema }, required: [member] };
}
