import type { DescMethod } from "@bufbuild/protobuf";
import { loadPolicies, type MethodPolicy } from "../../src/interceptors/policies.ts";
import { EXAMPLES } from "../../tools/protoc-gen-openapi/examples.ts";
import { SERVICES } from "./services.ts";

/** Every RPC, as its proto declares it, and a body that is valid where the id of an existing key is put in. */
export interface Rpc {
  readonly path: string;
  readonly procedure: string;
  /** `operator`: the operator's token, and dashboard users of the operator's tenant. `backend`: dashboard users and secret keys. `key`: secret keys alone. */
  readonly callers: "dashboard" | "backend" | "key" | "anyone" | "operator";
  /** The scope an API key needs. */
  readonly scope?: string;
  /** The scope a dashboard user needs. */
  readonly userScope?: string;
  /** Whether dashboard users need no tenant. Absent where the operator may call. */
  readonly isTenantOptional?: true;
  /** Whether a token that stands for a secret key may call. */
  readonly tokens: boolean;
  /** `tenantId` is the key's, for the operator's RPCs that name both. */
  body(keyId: string, tenantId?: string): object;
}

export const USER_MESSAGE = {
  role: "ROLE_USER",
  content: [{ type: "CONTENT_PART_TYPE_TEXT", content: "Hello" }],
};

/**
 * What is sent in place of the documentation's example, with less in it, or with names of no existing record. An RPC that is
 * not here is sent the example.
 */
const BODIES: Readonly<Record<string, object>> = {
  CreateApiKey: { name: "a key", permissions: ["conversations:read"] },
  ListApiKeys: {},
  UpdateApiKey: { name: "new name", update_mask: "name" },
  GetApiKeyUsage: {},
  RotateApiKey: {},
  CheckOidc: {
    oidc: { issuer: "https://idp.example.com", jwksUrl: "https://idp.example.com/jwks.json", audience: "app" },
  },
  ListThreads: {},
  SendMessage: { conversation_key: "common", user_message: USER_MESSAGE },
  GetConversationState: { conversation_key: "common" },
  CreateOrg: { name: "Acme" },
  ListOrgs: {},
  UpdateOrg: { name: "Acme" },
  SwitchOrg: { org_id: "org_x" },
  ListMembers: {},
  SetMemberRole: { user_id: "user-x", role: "viewer" },
  RemoveMember: { user_id: "user-x" },
  CreateInvitation: { email: "jo@example.com" },
  ListInvitations: {},
  RevokeInvitation: { invitation_id: "ivt_x" },
  PreviewInvitation: { token: "inv_x" },
  AcceptInvitation: { token: "inv_x" },
  Verify: {},
  ListAuditEvents: {},
  ListTenantsEvents: {},
  ListRequests: {},
  CreateWebhook: { url: "https://hooks.example.com/", events: ["*"] },
  ListWebhookDeliveries: {},
  SetKeyPolicy: { policy: {} },
  GetUsage: {},
  ListTopKeys: {},
  DeriveToken: { scopes: ["plans:read"] },
  FindKeys: {},
  CreateTenantKey: { tenant_id: "ten_rpcs", name: "a key", permissions: ["conversations:read"] },
  ListTenantKeys: { tenant_id: "ten_keys" },
  UpdateTenantKey: { tenant_id: "ten_keys", name: "new name", update_mask: "name" },
  RotateTenantKey: { tenant_id: "ten_keys" },
  GetTenantKey: { tenant_id: "ten_keys" },
  GetTenantKeyUsage: { tenant_id: "ten_keys" },
  GetTenant: { tenant_id: "ten_keys" },
  // The example could be created once.
  CreateKeyFormat: { key_format: "too-weak", length_min: 16, length_max: 16, alphabet: "HEX", algorithm: "SHA256" },
  ListTenants: {},
  SuspendTenant: { tenant_id: "ten_rpcs" },
  ResumeTenant: { tenant_id: "ten_rpcs" },
  EraseTenant: { tenant_id: "ten_erased" },
  EraseUser: { tenant_id: "ten_erased", user_id: "user-x" },
  ReportLeakedKeys: { reports: [{ key: "sk_unknown" }] },
};

/** Requests in which a key can be named, and is not: it would change what is answered. */
const WITHOUT_KEY = ["CheckOidc", "Verify"];
/** RPCs that deny users without a tenant by a rule of their own, unless the request says otherwise. */
const TENANT_BY_RULE = ["Verify"];

const ALL = [...loadPolicies(SERVICES)].map(([method, policy]) => ({ method, policy, ...openRpcOf(method, policy) }));

export const RPCS: readonly Rpc[] = ALL.flatMap(({ method, policy, ...rpc }) =>
  policy.callers.has("anonymous") ? [] : [{ ...rpc, ...callersOf(method, policy) }],
);

export type OpenRpc = Pick<Rpc, "path" | "procedure" | "body">;

/** The RPCs that look at no credentials. They are in no list of callers. */
export const OPEN_RPCS: readonly OpenRpc[] = ALL.flatMap(({ method: _, policy, ...rpc }) =>
  policy.callers.has("anonymous") ? [rpc] : [],
);

function openRpcOf({ parent, name, input }: DescMethod, { path }: MethodPolicy): OpenRpc {
  const hasKey = !WITHOUT_KEY.includes(name) && input.fields.some((field) => field.name === "key_id");
  const body = BODIES[name] ?? EXAMPLES[input.name] ?? {};
  const namesBoth = hasKey && "tenant_id" in body;
  return {
    path,
    procedure: `/${parent.typeName}/${name}`,
    body: (keyId, tenantId) => {
      if (!hasKey) return body;
      return { ...body, key_id: keyId, ...(namesBoth && tenantId !== undefined && { tenant_id: tenantId }) };
    },
  };
}

function callersOf(method: DescMethod, policy: MethodPolicy): Omit<Rpc, keyof OpenRpc> {
  const callers = kindOf(policy);
  const isOptional = policy.tenantOptional && callers !== "operator" && !TENANT_BY_RULE.includes(method.name);
  return {
    callers,
    tokens: policy.tokens,
    ...(policy.scope !== null && { scope: policy.scope }),
    ...(policy.userScope !== null && { userScope: policy.userScope }),
    ...(isOptional && { isTenantOptional: true }),
  };
}

function kindOf({ callers }: MethodPolicy): Rpc["callers"] {
  if (callers.has("publishable_key")) return "anyone";
  if (callers.has("operator")) return "operator";
  if (!callers.has("secret_key")) return "dashboard";
  return callers.has("dashboard_user") ? "backend" : "key";
}

/** The RPC of this name in the protos, such as `CreateApiKey`. */
export function rpcNamed(name: string): Rpc {
  const rpc = RPCS.find(({ procedure }) => procedure.endsWith(`/${name}`));
  if (rpc === undefined) throw new Error(`RPCS lacks ${name}`);
  return rpc;
}

/** The RPCs whose requests have this field, such as `webhook_id`. */
export function rpcsNaming(field: string): readonly Rpc[] {
  const naming = ALL.filter(({ method }) => method.input.fields.some(({ name }) => name === field));
  return RPCS.filter(({ path }) => naming.some((each) => each.path === path));
}

/** Whether the RPC takes keys, scopes and users without a tenant: which, the gate decides alike for all RPCs of a kind. */
function policyKind({ callers, scope, userScope, isTenantOptional }: Rpc): string {
  return JSON.stringify([callers, scope !== undefined, userScope !== undefined, isTenantOptional === true]);
}

/** One RPC of each kind of policy, for tests of what does not depend on the RPC. */
export function isFirstOfItsKind(rpc: Rpc): boolean {
  return RPCS.find((each) => policyKind(each) === policyKind(rpc)) === rpc;
}
