import { clone, type DescField, type DescMethod, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { Interceptor } from "@connectrpc/connect";
import { ApiKeyService } from "./gen/latchkey/v1/api_key_service_pb.ts";
import { AuditService } from "./gen/latchkey/v1/audit_service_pb.ts";
import { AuthService } from "./gen/latchkey/v1/auth_service_pb.ts";
import { GatewayService } from "./gen/latchkey/v1/gateway_service_pb.ts";
import { KeyPolicyService } from "./gen/latchkey/v1/key_policy_service_pb.ts";
import { OperatorService } from "./gen/latchkey/v1/operator_service_pb.ts";
import { OrgService } from "./gen/latchkey/v1/org_service_pb.ts";
import { ScopeService } from "./gen/latchkey/v1/scope_service_pb.ts";
import { UsageService } from "./gen/latchkey/v1/usage_service_pb.ts";

/** The RPCs that change nothing but counters. One that is not listed here is never repeated on a guess. */
const READS: readonly DescMethod[] = [
  ApiKeyService.method.listApiKeys,
  ApiKeyService.method.getApiKey,
  ApiKeyService.method.getApiKeyUsage,
  KeyPolicyService.method.getKeyPolicy,
  GatewayService.method.listThreads,
  GatewayService.method.getConversationState,
  AuditService.method.listAuditEvents,
  AuthService.method.verify,
  ScopeService.method.listScopes,
  UsageService.method.getUsage,
  UsageService.method.listTopKeys,
  OperatorService.method.findKeys,
  OperatorService.method.listTenants,
  OperatorService.method.listTenantsEvents,
  OrgService.method.listOrgs,
  OrgService.method.getOrg,
  OrgService.method.listMembers,
  OrgService.method.listInvitations,
];

const MESSAGE_ID = "client_message_id";
/** The caller's own id of an organization: a repeated call creates no second one. */
const ORG_ID = "client_org_id";
/** The caller's own id of a call that makes a key: a repeated call makes no second one, and its answer has no value. */
const REQUEST_ID = "client_request_id";
const OWN_IDS = [MESSAGE_ID, ORG_ID, REQUEST_ID];
const ID_BYTES = 16;

/** Whether a call may be retried although it is unknown whether it was executed: a read, or what has an id of the caller's. */
export function isRepeatable(method: DescMethod, message: Message): boolean {
  if (READS.includes(method)) return true;
  const own = method.input.fields.filter(({ name }) => OWN_IDS.includes(name));
  return own.some((field) => reflect(method.input, message).isSet(field));
}

/**
 * Gives each message a `client_message_id` of its own, unless it has one or the service knows no such field.
 *
 * It works on a copy: an id left in the caller's object would make the same text, sent again on purpose, a repetition.
 */
export const nameMessages: Interceptor = (next) => (req) => {
  const field = messageIdField(req.method);
  if (req.stream || field === undefined || reflect(req.method.input, req.message).isSet(field)) return next(req);
  const message = clone(req.method.input, req.message);
  reflect(req.method.input, message).set(field, newId());
  return next({ ...req, message });
};

function messageIdField(method: DescMethod): DescField | undefined {
  return method.input.fields.find((field) => field.name === MESSAGE_ID);
}

/** 128 random bits. Not `crypto.randomUUID`, which browsers offer on secure origins only. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
