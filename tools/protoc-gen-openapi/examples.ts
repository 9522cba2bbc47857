import type { JsonObject } from "./json.ts";
import { ORG_EXAMPLES } from "./org-examples.ts";
import { RECENT_REQUEST, REQUEST_EXPLANATION } from "./request-examples.ts";
import { TOKEN_EXAMPLES } from "./token-examples.ts";
import { WEBHOOK_EXAMPLES } from "./webhook-examples.ts";

const KEY_ID = "key_bcda758cef0f4b84f7832c295f4154ec";
const RUN_ID = "run_2b510d5da63593a8ec6104963ffe57b8";
const CREATED_AT = "2026-01-31T12:00:00.123Z";
const EXPIRES_AT = "2030-01-31T12:00:00Z";
const RATE_LIMIT = {
  requests_per_minute: 60,
  requests_per_hour: 1000,
  burst_size: 10,
  per_user: { requests_per_minute: 10, requests_per_hour: 0, burst_size: 0 },
};

const KEY_POLICY = {
  max_lifetime_hours: 2_160,
  expiry_required: true,
  max_rate_limit: { requests_per_minute: 600, requests_per_hour: 0, burst_size: 0 },
  permissions: ["conversations:*", "plans:read"],
  allowed_ips_required: false,
  max_keys: 100,
};
const ISSUED_KEY = { key_id: KEY_ID, key: "sk_<the key, returned once>", key_prefix: "sk_4Vd9Qm2Lx" };
/** Of no known key: examples are copied. */
const CALLER_MADE = {
  secret_hash: "a8ba2366ed6abdae15fc8d3b19d0f894126801fcea5ec0d6add33ac847dd00de",
  key_prefix: "sk_4Vd9Qm2Lx",
};

const API_KEY = {
  key_id: KEY_ID,
  key_prefix: "sk_4Vd9Qm2Lx",
  name: "backend",
  description: "Nightly import",
  keyType: "KEY_TYPE_SECRET",
  permissions: ["conversations:*"],
  rate_limit: RATE_LIMIT,
  expires_at: EXPIRES_AT,
  created_at: CREATED_AT,
  status: "KEY_STATUS_ACTIVE",
  updated_at: CREATED_AT,
  allowed_ips: ["203.0.113.0/24"],
  allowed_origins: [],
};

/** Access tokens of Cognito, which have no aud. */
const OIDC = {
  issuer: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc",
  jwksUrl: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_abc/.well-known/jwks.json",
  audience: "4kmk5vpabc",
  audienceClaim: "client_id",
  requiredClaims: { token_use: "access" },
  claimRules: [{ claim: "cognito:groups", contains: "staff" }],
};
const NOTHING = { expected: "", found: "" };

const TENANT_ID = "ten_d59cf697afdbddd60a1fd0ac71439134";
const FOUND_KEY = { ...API_KEY, tenant_id: TENANT_ID, tenant_suspended: false };
const IMPORTED_ROW = {
  hash: { algorithm: "SHA256", digest: "1ad9d99b4e8cf23f8de3ededda1b73847c8b5b49f5613cbb79d275f069fffc26" },
  key_format: "acme-live",
  key_prefix: "acme_live_3f",
  name: "Nightly export",
  permissions: ["conversations:read"],
  created_at: "2024-05-06T07:08:09Z",
  external_id: "customer-7",
};
const IMPORTED = {
  results: [
    { index: 0, status: "CREATED", key_id: KEY_ID },
    {
      ...{ index: 1, status: "REFUSED", reason: "unknown_scope", field: "permissions[0]" },
      message: "permissions[0]: is not a known scope",
    },
  ],
  ...{ created: 1, exists: 0, refused: 1 },
};
const KEY_FORMAT = {
  key_format: "acme-live",
  prefix: "acme_live_",
  length_min: 42,
  length_max: 42,
  alphabet: "HEX",
  algorithm: "SHA256",
  bearer: true,
  tenants: [TENANT_ID],
};
const CREATED_FORMAT = {
  ...KEY_FORMAT,
  ...{ case: "AS_SENT", pepper: "", hashed_part: "WHOLE", separator: "", created_at: CREATED_AT },
};
const TENANT = { tenant_id: TENANT_ID, name: "Acme", key_count: 3, suspension_reason: "" };
const SUSPENDED_TENANT = { ...TENANT, suspended_at: CREATED_AT, suspension_reason: "invoice overdue" };

const ERASURE = {
  erasure_id: "aud_5b0c2e8d41f74a6f9d3e7c1a80b264f5",
  tenant_id: TENANT_ID,
  user_id: "",
  finished: true,
};
const NONE_ERASED = {
  ...{ conversations: 0, runs: 0, messages: 0, client_message_ids: 0, members: 0, invitations: 0, client_org_ids: 0 },
  ...{
    org_names: 0,
    keys: 0,
    key_actors: 0,
    key_usage: 0,
    requests: 0,
    webhooks: 0,
    webhook_events: 0,
    access_tokens: 0,
    federation_rules: 0,
  },
};

const ACTOR = {
  kind: "dashboard_user",
  user_id: "user-42",
  issuer: "https://login.example.com",
  key_id: "",
  operator_token: 0,
};
const AUDIT_EVENT = {
  event_id: "aud_9f1c7d20b5e84c3e8a6f4d2b7c1e0a53",
  at: CREATED_AT,
  actor: ACTOR,
  action: "api_key.revoked",
  target_id: KEY_ID,
  changes: { revoked_at: { old: null, new: CREATED_AT } },
  address: "203.0.113.7",
  request_id: "req_5c2e8f6a1b3d4c7e9f0a2b4c6d8e0f13",
  trace_id: "",
};
const COUNTERS = { total_verifications: 3, successful_verifications: 2, failed_verifications: 1 };
const SERIES = [
  { from: "2026-01-30T00:00:00Z", successful: 0, denied: {} },
  { from: "2026-01-31T00:00:00Z", successful: 2, denied: { rate_limited: 1 } },
];

const RECORD = { result: API_KEY };
const BY_KEY_ID = { key_id: KEY_ID };
const PAGINATION = { total: 1, page: 1, per_page: 20, total_pages: 1 };
const TEXT = [{ type: "CONTENT_PART_TYPE_TEXT", content: "Hello" }];

/** An example of each request and each answer, by the message's name. Tests send the requests to the service. */
export const EXAMPLES: Readonly<Record<string, JsonObject>> = {
  ListApiKeysRequest: {
    ...{ page: 1, per_page: 20, status: "KEY_STATUS_ACTIVE", external_id: "customer-7", sort: "last_used_at" },
    ...{ search: "backend", expires_before: "2026-03-01T00:00:00Z" },
  },
  ListApiKeysResponse: { keys: [API_KEY], pagination: PAGINATION, next_page_token: "" },
  GetApiKeyRequest: BY_KEY_ID,
  GetApiKeyResponse: RECORD,
  UpdateApiKeyRequest: { key_id: KEY_ID, name: "backend", update_mask: "name,description" },
  UpdateApiKeyResponse: RECORD,
  RevokeApiKeyRequest: BY_KEY_ID,
  RevokeApiKeyResponse: { result: { ...API_KEY, status: "KEY_STATUS_REVOKED", revoked_at: CREATED_AT } },
  DisableApiKeyRequest: BY_KEY_ID,
  DisableApiKeyResponse: { result: { ...API_KEY, status: "KEY_STATUS_DISABLED" } },
  EnableApiKeyRequest: BY_KEY_ID,
  EnableApiKeyResponse: RECORD,
  GetApiKeyUsageRequest: { key_id: KEY_ID, from: "2026-01-30T00:00:00Z", to: "2026-02-01T00:00:00Z", step: "day" },
  GetApiKeyUsageResponse: { result: COUNTERS, series: SERIES },
  GetUsageRequest: { from: "2026-01-30T00:00:00Z", to: "2026-02-01T00:00:00Z", step: "day" },
  GetUsageResponse: { result: COUNTERS, series: SERIES },
  ListTopKeysRequest: { from: "2026-01-30T00:00:00Z", to: "2026-02-01T00:00:00Z", per_page: 10 },
  ListTopKeysResponse: { keys: [{ key_id: KEY_ID, name: "backend", ...COUNTERS }], next_page_token: "" },
  RotateApiKeyRequest: { key_id: KEY_ID, grace_period_hours: 24, client_request_id: "rotation-2026-03" },
  RotateApiKeyResponse: { result: ISSUED_KEY },
  CheckOidcRequest: { oidc: OIDC, token: "<a user's token>" },
  CheckOidcResponse: {
    steps: [
      { name: "configuration", passed: true, ...NOTHING, detail: "A key with this configuration can be created." },
      {
        name: "key_set",
        passed: true,
        expected: "a JWK set with a usable key",
        found: "Usable keys: 1 of 1, fetched at 2026-01-31T12:00:00.123Z.",
        detail: "The key set has a usable key.",
      },
      {
        name: "form",
        passed: false,
        expected: "a signed JWT: three base64url parts separated by dots",
        found: "",
        detail:
          "The user token is opaque: it is not a JWT, which has three parts separated by dots; send the ID token, or have the issuer make access tokens that are JWTs, which some do only for a requested audience.",
      },
    ],
    passed: false,
  },
  ListThreadsRequest: { page: 1, per_page: 20 },
  ListThreadsResponse: {
    threads: [
      {
        thread_id: "thr_b4706a88dd0d913fc12d692a090ecf86",
        conversation_key: "hello",
        user_id: "user-42",
        message_count: 2,
        created_at: CREATED_AT,
        updated_at: CREATED_AT,
      },
    ],
    pagination: PAGINATION,
    next_page_token: "",
  },
  SendMessageRequest: { conversation_key: "hello", user_message: { role: "ROLE_USER", content: TEXT } },
  SendMessageResponse: { runId: RUN_ID, message_id: "msg_47b4154b3b9a2910068ca4468128b182", conversation_key: "hello" },
  GetConversationStateRequest: { conversation_key: "hello", wait_ms: 5000 },
  GetConversationStateResponse: {
    conversation_key: "hello",
    status: "CONVERSATION_STATUS_RUNNING",
    messages: [
      {
        message_id: "msg_47b4154b3b9a2910068ca4468128b182",
        role: "ROLE_USER",
        content: TEXT,
        created_at: CREATED_AT,
        runId: RUN_ID,
      },
    ],
    run: { runId: RUN_ID, status: "RUN_STATUS_QUEUED", error: "" },
  },
  ...ORG_EXAMPLES,
  ListAuditEventsRequest: { action: "api_key.revoked", target_id: KEY_ID },
  ListAuditEventsResponse: { events: [AUDIT_EVENT], next_page_token: "" },
  ListRequestsRequest: { key_id: KEY_ID, verdict: "denied" },
  ListRequestsResponse: { requests: [RECENT_REQUEST], next_page_token: "" },
  ExplainRequestRequest: { request_id: RECENT_REQUEST.request_id },
  ExplainRequestResponse: { result: REQUEST_EXPLANATION },
  ...WEBHOOK_EXAMPLES,
  ...TOKEN_EXAMPLES,
  GetKeyPolicyRequest: {},
  GetKeyPolicyResponse: { result: KEY_POLICY },
  SetKeyPolicyRequest: { policy: KEY_POLICY },
  SetKeyPolicyResponse: { result: KEY_POLICY },
  ReportLeakedKeysRequest: {
    reports: [{ key: "sk_<the key that was found>", url: "https://example.com/paste/42", source: "paste" }],
  },
  ReportLeakedKeysResponse: {},
  ListScopesRequest: {},
  ListScopesResponse: {
    scopes: [
      { name: "conversations:read", description: "Read conversations and their messages.", publishable: true },
      { name: "reports:read", description: "Read reports.", publishable: false },
    ],
    next_page_token: "",
  },
  FindKeysRequest: { key_prefix: "sk_4Vd9Qm2Lx" },
  FindKeysResponse: { keys: [FOUND_KEY], pagination: PAGINATION, next_page_token: "" },
  CreateTenantKeyRequest: { tenant_id: TENANT_ID, name: "first key", permissions: ["conversations:*"] },
  CreateTenantKeyResponse: { result: ISSUED_KEY },
  ListTenantKeysRequest: {
    tenant_id: TENANT_ID,
    status: "KEY_STATUS_ACTIVE",
    external_id: "customer-7",
    per_page: 100,
  },
  ListTenantKeysResponse: { keys: [API_KEY], pagination: PAGINATION, next_page_token: "" },
  GetTenantKeyRequest: { tenant_id: TENANT_ID, ...BY_KEY_ID },
  GetTenantKeyResponse: RECORD,
  UpdateTenantKeyRequest: {
    ...{ tenant_id: TENANT_ID, ...BY_KEY_ID },
    ...{ rate_limit: { requests_per_minute: 600 }, update_mask: "rate_limit.requests_per_minute" },
  },
  UpdateTenantKeyResponse: RECORD,
  RotateTenantKeyRequest: {
    ...{ tenant_id: TENANT_ID, ...BY_KEY_ID },
    ...{ grace_period_hours: 24, client_request_id: "rotation-2026-03" },
  },
  RotateTenantKeyResponse: { result: ISSUED_KEY },
  GetTenantKeyUsageRequest: {
    ...{ tenant_id: TENANT_ID, ...BY_KEY_ID },
    ...{ from: "2026-01-30T00:00:00Z", to: "2026-02-01T00:00:00Z", step: "day" },
  },
  GetTenantKeyUsageResponse: { result: COUNTERS, series: SERIES },
  DisableKeyRequest: { key_id: KEY_ID },
  DisableKeyResponse: { result: { ...FOUND_KEY, status: "KEY_STATUS_DISABLED" } },
  EnableKeyRequest: { key_id: KEY_ID },
  EnableKeyResponse: { result: FOUND_KEY },
  RevokeKeyRequest: { key_id: KEY_ID },
  RevokeKeyResponse: { result: { ...FOUND_KEY, status: "KEY_STATUS_REVOKED", revoked_at: CREATED_AT } },
  ImportApiKeysRequest: { keys: [IMPORTED_ROW, { ...IMPORTED_ROW, permissions: ["exports:read"] }], dry_run: false },
  ImportApiKeysResponse: IMPORTED,
  ExportKeysRequest: { per_page: 1000 },
  ExportKeysResponse: {
    keys: [
      {
        key: { ...API_KEY, tenant_id: TENANT_ID, imported: true, key_format: "acme-live" },
        hash: { ...IMPORTED_ROW.hash, pepper: "" },
      },
    ],
    next_page_token: "",
  },
  ImportTenantKeysRequest: { keys: [{ tenant_id: TENANT_ID, ...IMPORTED_ROW }] },
  ImportTenantKeysResponse: IMPORTED,
  CreateKeyFormatRequest: KEY_FORMAT,
  CreateKeyFormatResponse: { result: CREATED_FORMAT },
  ListKeyFormatsRequest: {},
  ListKeyFormatsResponse: { formats: [CREATED_FORMAT], next_page_token: "" },
  DeleteKeyFormatRequest: { key_format: KEY_FORMAT.key_format },
  DeleteKeyFormatResponse: {},
  ListTenantsRequest: { only_suspended: true },
  ListTenantsResponse: { tenants: [SUSPENDED_TENANT], pagination: PAGINATION, next_page_token: "" },
  GetTenantRequest: { tenant_id: TENANT_ID },
  GetTenantResponse: { result: TENANT },
  SuspendTenantRequest: { tenant_id: TENANT_ID, reason: "invoice overdue" },
  SuspendTenantResponse: { result: SUSPENDED_TENANT },
  ResumeTenantRequest: { tenant_id: TENANT_ID },
  ResumeTenantResponse: { result: TENANT },
  EraseUserRequest: { tenant_id: TENANT_ID, user_id: "user-42" },
  EraseUserResponse: {
    result: {
      ...ERASURE,
      user_id: "user-42",
      removed: { ...NONE_ERASED, conversations: 3, runs: 20, messages: 40, members: 1 },
    },
  },
  EraseTenantRequest: { tenant_id: TENANT_ID },
  EraseTenantResponse: {
    result: {
      ...ERASURE,
      finished: false,
      removed: { ...NONE_ERASED, conversations: 8_100, runs: 48_000, messages: 96_000, keys: 3 },
    },
  },
  ListTenantsEventsRequest: { tenant_id: TENANT_ID, target_id: KEY_ID },
  ListTenantsEventsResponse: { events: [{ ...AUDIT_EVENT, tenant_id: TENANT_ID }], next_page_token: "" },
  ExplainAnyRequestRequest: { request_id: RECENT_REQUEST.request_id },
  ExplainAnyRequestResponse: {
    result: { ...REQUEST_EXPLANATION, request: { ...RECENT_REQUEST, tenant_id: TENANT_ID } },
  },
  VerifyRequest: { scope: "plans:read" },
  VerifyResponse: {
    caller: "CALLER_SECRET_KEY",
    tenant_id: TENANT_ID,
    key_id: KEY_ID,
    user_id: "",
    permissions: ["plans:*"],
    acting_for: "",
    rate_limit: { limit: 60, remaining: 59, reset_at: "2030-01-31T12:00:00Z" },
  },
};

/** Several examples of one request or answer, by the message's name: the two types of keys. */
export const NAMED_EXAMPLES: Readonly<
  Record<string, Readonly<Record<string, { summary: string; value: JsonObject }>>>
> = {
  CreateApiKeyRequest: {
    secret_key: {
      summary: "A secret key, for a customer's backend",
      value: {
        name: "backend",
        description: "Nightly import",
        permissions: ["conversations:*"],
        rate_limit: RATE_LIMIT,
        expires_at: EXPIRES_AT,
        metadata: { plan: "pro" },
        external_id: "customer-7",
      },
    },
    caller_made: {
      summary: "A secret key that the caller made, so that the service has only its hash",
      value: { name: "backend", permissions: ["plans:read"], ...CALLER_MADE },
    },
    publishable_key: {
      summary: "A publishable key, for an app whose users have tokens of the tenant's own identity provider",
      value: {
        name: "web app",
        keyType: "KEY_TYPE_PUBLISHABLE",
        permissions: ["conversations:read", "conversations:write"],
        publishableConfig: { oidc: OIDC },
        allowed_origins: ["https://app.example.com"],
      },
    },
  },
  CreateApiKeyResponse: {
    secret_key: { summary: "A secret key", value: { result: ISSUED_KEY } },
    publishable_key: {
      summary: "A publishable key, whose value is not secret",
      value: { result: { key_id: KEY_ID, key: "pk_<the key>", key_prefix: "pk_7Xc2Rn4Kq" } },
    },
    caller_made: {
      summary: "A key that the caller made",
      value: { result: { key_id: KEY_ID, key: "", key_prefix: CALLER_MADE.key_prefix } },
    },
    repeated: {
      summary: "The key that an earlier call with the same client_request_id has made",
      value: { result: { ...ISSUED_KEY, key: "", already_created: true } },
    },
  },
};

/** Examples of parts of answers that those above do not have, by the message's name. */
export const PARTS: Readonly<Record<string, JsonObject>> = {
  OidcConfig: {
    issuer: OIDC.issuer,
    jwksUrl: OIDC.jwksUrl,
    audience: OIDC.audience,
    userIdClaim: "sub",
    requiredClaims: OIDC.requiredClaims,
    audienceClaim: OIDC.audienceClaim,
    authorizedParties: ["web"],
    tokenType: "any",
    claimRules: OIDC.claimRules,
    userIdPrefix: "cognito|",
  },
  Explanation: {
    allowed: true,
    denial_reason: "",
    steps: [
      { name: "status", passed: true, detail: "The key is active." },
      {
        name: "oidc",
        passed: true,
        detail:
          "Users' tokens must come from https://idp.example.com for app. Usable keys: 1 of 2, fetched at 2026-01-31T12:00:00.123Z.",
      },
      { name: "rate_limit", passed: true, detail: "60 of 60 requests remain until 2026-01-31T12:01:00.000Z." },
    ],
    rate_limit: { limit: 60, remaining: 60, reset_at: "2026-01-31T12:01:00Z" },
    key_set: {
      problem: "",
      fetched_at: CREATED_AT,
      key_count: 2,
      usable_key_count: 1,
      keys: [
        { kid: "2026-01", algs: ["ES256"], problem: "" },
        { kid: "2025-12", algs: [], problem: "has another use than sig" },
      ],
    },
  },
};
