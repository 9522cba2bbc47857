export { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
export { Code, ConnectError } from "@connectrpc/connect";
export { createLatchkeyClient, type LatchkeyClient, type LatchkeyClientOptions } from "./client.ts";
export type {
  Credentials,
  DashboardCredentials,
  PublishableKeyCredentials,
  SecretKeyCredentials,
  TokenSource,
} from "./credentials.ts";
export { type Denial, type DenialReasonName, denialOf, isDenial, type RateLimit } from "./denial.ts";
export {
  type ApiKey,
  ApiKeySchema,
  KeyStatus,
  KeyType,
  type OidcConfig,
  type RateLimit as KeyRateLimit,
} from "./gen/latchkey/v1/api_key_pb.ts";
export {
  ApiKeyService,
  type ApiKeyUsage,
  type CheckOidcStep,
  type IssuedKey,
} from "./gen/latchkey/v1/api_key_service_pb.ts";
export { AuthService, type VerifyResponse } from "./gen/latchkey/v1/auth_service_pb.ts";
export {
  type ContentPart,
  ContentPartType,
  ConversationStatus,
  type Message,
  MessageSchema,
  Role,
  type Run,
  RunStatus,
  type Thread,
  ThreadSchema,
} from "./gen/latchkey/v1/conversation_pb.ts";
export {
  GatewayService,
  type GetConversationStateResponse,
  GetConversationStateResponseSchema,
} from "./gen/latchkey/v1/gateway_service_pb.ts";
export { KeyPolicyService } from "./gen/latchkey/v1/key_policy_service_pb.ts";
export { LeakService } from "./gen/latchkey/v1/leak_service_pb.ts";
export { type Erasure, OperatorService, type Tenant } from "./gen/latchkey/v1/operator_service_pb.ts";
export type { Organization } from "./gen/latchkey/v1/org_pb.ts";
export { OrgService } from "./gen/latchkey/v1/org_service_pb.ts";
export type { Pagination } from "./gen/latchkey/v1/pagination_pb.ts";
export { Caller } from "./gen/latchkey/v1/policy_pb.ts";
export { type Scope, ScopeService } from "./gen/latchkey/v1/scope_service_pb.ts";
export type { UsageStep } from "./gen/latchkey/v1/usage_pb.ts";
export { type TopKey, UsageService } from "./gen/latchkey/v1/usage_service_pb.ts";
export { jsonList, toJson, usageSteps } from "./json.ts";
export type { RetryOptions, Sleep } from "./retry.ts";
export { RunFailedError, runIdOf } from "./run-failed.ts";
export type { OutgoingMessage, Reply, SendAndWaitOptions } from "./send-and-wait.ts";
