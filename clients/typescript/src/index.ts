export { create, isMessage } from "@bufbuild/protobuf";
export { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
export { Code, ConnectError } from "@connectrpc/connect";
export { createLatchkeyClient, type LatchkeyClient, type LatchkeyClientOptions } from "./client.ts";
export type {
  AccessTokenCredentials,
  Credentials,
  DashboardCredentials,
  FederationCredentials,
  PublishableKeyCredentials,
  SecretKeyCredentials,
  TokenOptions,
  TokenSource,
} from "./credentials.ts";
export { type Denial, type DenialReasonName, denialOf, isDenial, type RateLimit } from "./denial.ts";
export { eachOf, type ItemOf } from "./each-of.ts";
export { type ErrorReasonName, fieldOf, reasonOf } from "./error-reason.ts";
export type { Federation } from "./federation.ts";
export * from "./gen/latchkey/v1/access_token_pb.ts";
export type { RateLimit as KeyRateLimit } from "./gen/latchkey/v1/api_key_pb.ts";
// All messages, enums and services, so that none is forgotten. An export by name, such as `Denial`, goes before theirs.
export * from "./gen/latchkey/v1/api_key_pb.ts";
export * from "./gen/latchkey/v1/api_key_service_pb.ts";
export * from "./gen/latchkey/v1/audit_pb.ts";
export * from "./gen/latchkey/v1/audit_service_pb.ts";
export * from "./gen/latchkey/v1/auth_service_pb.ts";
export * from "./gen/latchkey/v1/conversation_pb.ts";
export type { Denial as DenialMessage } from "./gen/latchkey/v1/denial_pb.ts";
export * from "./gen/latchkey/v1/denial_pb.ts";
export * from "./gen/latchkey/v1/error_reason_pb.ts";
export * from "./gen/latchkey/v1/federation_pb.ts";
export * from "./gen/latchkey/v1/federation_service_pb.ts";
export * from "./gen/latchkey/v1/gateway_service_pb.ts";
export * from "./gen/latchkey/v1/key_format_pb.ts";
export * from "./gen/latchkey/v1/key_import_pb.ts";
export * from "./gen/latchkey/v1/key_policy_service_pb.ts";
export * from "./gen/latchkey/v1/leak_service_pb.ts";
export * from "./gen/latchkey/v1/narrowing_pb.ts";
export * from "./gen/latchkey/v1/operator_service_pb.ts";
export * from "./gen/latchkey/v1/org_pb.ts";
export * from "./gen/latchkey/v1/org_service_pb.ts";
export * from "./gen/latchkey/v1/pagination_pb.ts";
export * from "./gen/latchkey/v1/policy_pb.ts";
export * from "./gen/latchkey/v1/request_pb.ts";
export * from "./gen/latchkey/v1/request_service_pb.ts";
export * from "./gen/latchkey/v1/scope_service_pb.ts";
export * from "./gen/latchkey/v1/token_service_pb.ts";
export * from "./gen/latchkey/v1/usage_pb.ts";
export * from "./gen/latchkey/v1/usage_service_pb.ts";
export * from "./gen/latchkey/v1/webhook_pb.ts";
export * from "./gen/latchkey/v1/webhook_service_pb.ts";
export { fromJson, jsonList, toJson, usageSteps } from "./json.ts";
export { type MadeKey, type MakeKeyOptions, makeKey } from "./make-key.ts";
export type { Moment, RequestInput } from "./request-input.ts";
export type { RetryOptions, Sleep } from "./retry.ts";
export { RunFailedError, runIdOf } from "./run-failed.ts";
export type { OutgoingMessage, Reply, SendAndWaitOptions } from "./send-and-wait.ts";
export type { ServiceClient } from "./strict-client.ts";
export type {
  AuditAction,
  BuiltInScope,
  FederationRuleMember,
  KeyMember,
  PermissionName,
  ScopeName,
  WebhookEventName,
  WebhookMember,
} from "./vocabulary.ts";
