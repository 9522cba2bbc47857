/** Every RPC: its path, and a body that is valid where the id of an existing key is put in. */
export interface Rpc {
  readonly path: string;
  readonly procedure: string;
  /** `operator`: the operator's token, and dashboard users of the operator's tenant. `backend`: dashboard users and secret keys. */
  readonly callers: "dashboard" | "backend" | "anyone" | "operator";
  /** The scope an API key needs. */
  readonly scope?: string;
  /** The scope a dashboard user needs. */
  readonly userScope?: string;
  /** Whether dashboard users need no tenant. */
  readonly isTenantOptional?: true;
  body(keyId: string): object;
}

const byKeyId = (keyId: string): object => ({ key_id: keyId });

function management(method: string, rpc: string, body: (keyId: string) => object): Rpc {
  return {
    path: `/api/v1/api-keys/${method}`,
    procedure: `/latchkey.v1.ApiKeyService/${rpc}`,
    callers: "dashboard",
    userScope: ["check-oidc", "get", "list", "usage"].includes(method) ? "api_keys:read" : "api_keys:write",
    body,
  };
}

function keyPolicy(method: string, rpc: string, body: object): Rpc {
  return {
    path: `/api/v1/api-keys/policy/${method}`,
    procedure: `/latchkey.v1.KeyPolicyService/${rpc}`,
    callers: "dashboard",
    userScope: "api_keys:admin",
    body: () => body,
  };
}

function usage(method: string, rpc: string): Rpc {
  return {
    path: `/api/v1/usage/${method}`,
    procedure: `/latchkey.v1.UsageService/${rpc}`,
    callers: "dashboard",
    userScope: "api_keys:read",
    body: () => ({}),
  };
}

function gateway(method: string, rpc: string, scope: string, body: object): Rpc {
  return {
    path: `/api/v1/llm/gateway/${method}`,
    procedure: `/latchkey.v1.GatewayService/${rpc}`,
    callers: "anyone",
    scope,
    userScope: scope,
    body: () => body,
  };
}

function operator(path: string, rpc: string, body: (keyId: string) => object): Rpc {
  return {
    path: `/api/v1/operator/${path}`,
    procedure: `/latchkey.v1.OperatorService/${rpc}`,
    callers: "operator",
    userScope: "system:*",
    body,
  };
}

/** `body` is valid, but names nobody's records. `userScope` "": it needs neither a scope nor a tenant. */
function org(method: string, rpc: string, userScope: string, body: object = {}): Rpc {
  return {
    path: `/api/v1/orgs/${method}`,
    procedure: `/latchkey.v1.OrgService/${rpc}`,
    callers: "dashboard",
    body: () => body,
    ...(userScope === "" ? { isTenantOptional: true } : { userScope }),
  };
}

export const USER_MESSAGE = {
  role: "ROLE_USER",
  content: [{ type: "CONTENT_PART_TYPE_TEXT", content: "Hello" }],
};

export const RPCS: readonly Rpc[] = [
  management("create", "CreateApiKey", () => ({ name: "a key", permissions: ["conversations:read"] })),
  management("list", "ListApiKeys", () => ({})),
  management("get", "GetApiKey", byKeyId),
  management("update", "UpdateApiKey", (keyId) => ({ key_id: keyId, name: "new name", update_mask: "name" })),
  management("revoke", "RevokeApiKey", byKeyId),
  management("disable", "DisableApiKey", byKeyId),
  management("enable", "EnableApiKey", byKeyId),
  management("usage", "GetApiKeyUsage", byKeyId),
  management("rotate", "RotateApiKey", byKeyId),
  management("check-oidc", "CheckOidc", () => ({
    oidc: { issuer: "https://idp.example.com", jwksUrl: "https://idp.example.com/jwks.json", audience: "app" },
  })),
  gateway("list-threads", "ListThreads", "conversations:read", {}),
  gateway("send-message", "SendMessage", "conversations:write", {
    conversation_key: "common",
    user_message: USER_MESSAGE,
  }),
  gateway("get-conversation-state", "GetConversationState", "conversations:read", { conversation_key: "common" }),
  org("create", "CreateOrg", "", { name: "Acme" }),
  org("list", "ListOrgs", ""),
  org("get", "GetOrg", "org:read"),
  org("update", "UpdateOrg", "org:write", { name: "Acme" }),
  org("switch", "SwitchOrg", "", { org_id: "org_x" }),
  org("members/list", "ListMembers", "org:read"),
  org("members/set-role", "SetMemberRole", "org:write", { user_id: "user-x", role: "viewer" }),
  org("members/remove", "RemoveMember", "org:write", { user_id: "user-x" }),
  org("invitations/create", "CreateInvitation", "org:write", { email: "jo@example.com" }),
  org("invitations/list", "ListInvitations", "org:read"),
  org("invitations/revoke", "RevokeInvitation", "org:write", { invitation_id: "ivt_x" }),
  org("invitations/accept", "AcceptInvitation", "", { token: "inv_x" }),
  {
    path: "/api/v1/auth/verify",
    procedure: "/latchkey.v1.AuthService/Verify",
    callers: "anyone",
    body: () => ({}),
  },
  {
    path: "/api/v1/scopes/list",
    procedure: "/latchkey.v1.ScopeService/ListScopes",
    callers: "anyone",
    isTenantOptional: true,
    body: () => ({}),
  },
  {
    path: "/api/v1/audit/list",
    procedure: "/latchkey.v1.AuditService/ListAuditEvents",
    callers: "backend",
    scope: "audit:read",
    userScope: "audit:read",
    body: () => ({}),
  },
  operator("audit/list", "ListTenantsEvents", () => ({})),
  keyPolicy("get", "GetKeyPolicy", {}),
  keyPolicy("set", "SetKeyPolicy", { policy: {} }),
  usage("get", "GetUsage"),
  usage("top-keys", "ListTopKeys"),
  operator("keys/find", "FindKeys", byKeyId),
  operator("keys/create", "CreateTenantKey", () => ({
    tenant_id: "ten_rpcs",
    name: "a key",
    permissions: ["conversations:read"],
  })),
  operator("keys/disable", "DisableKey", byKeyId),
  operator("keys/enable", "EnableKey", byKeyId),
  operator("keys/revoke", "RevokeKey", byKeyId),
  operator("tenants/list", "ListTenants", () => ({})),
  operator("tenants/suspend", "SuspendTenant", () => ({ tenant_id: "ten_rpcs" })),
  operator("tenants/resume", "ResumeTenant", () => ({ tenant_id: "ten_rpcs" })),
  operator("tenants/erase", "EraseTenant", () => ({ tenant_id: "ten_erased" })),
  operator("users/erase", "EraseUser", () => ({ tenant_id: "ten_erased", user_id: "user-x" })),
];

export type OpenRpc = Pick<Rpc, "path" | "procedure" | "body">;

/** The RPCs that look at no credentials. They are in no list of callers. */
export const OPEN_RPCS: readonly OpenRpc[] = [
  {
    path: "/api/v1/api-keys/report-leak",
    procedure: "/latchkey.v1.LeakService/ReportLeakedKeys",
    body: () => ({ reports: [{ key: "sk_unknown" }] }),
  },
];

/** The RPC of this name in the protos, such as `CreateApiKey`. */
export function rpcNamed(name: string): Rpc {
  const rpc = RPCS.find(({ procedure }) => procedure.endsWith(`/${name}`));
  if (rpc === undefined) throw new Error(`RPCS lacks ${name}`);
  return rpc;
}
