export type { RequestHeaders } from "./auth-headers.ts";
export { callerOf, type VerifiedCaller } from "./caller.ts";
export { type ConnectCaller, callerContext } from "./caller-context.ts";
export type { RequestOptions } from "./checks.ts";
export type { ConnectOptions } from "./connect-guard.ts";
export type { EdgeOptions, GuardEdge } from "./edge.ts";
export type { EdgeStatus } from "./edge-types.ts";
export type { FetchHandler, GuardedFetchHandler } from "./fetch-guard.ts";
export { type CheckOptions, createGuard, type Guard, type MetadataHandlers } from "./guard.ts";
export { type McpGuard, type McpOptions, messageOf } from "./mcp.ts";
export type { FastifyReplyLike, FastifyRequestLike, NodeGuard } from "./node-guard.ts";
export type { ResourceOptions } from "./resource.ts";
export type { Scopes } from "./scopes.ts";
export type { Verdict } from "./verdict.ts";
export type { GuardOptions } from "./verification.ts";
export type {
  ApiKeyData,
  InvitationData,
  KeyPolicyData,
  MemberData,
  RunData,
  TenantStateData,
  UserErasedData,
  WebhookActor,
  WebhookData,
  WebhookEvent,
  WebhookEventOf,
  WebhookEventType,
} from "./webhook-events.ts";
export {
  type NodeWebhookReceiver,
  type OnWebhookEvent,
  receiveWebhooks,
  receiveWebhooksOnNode,
  type WebhookReceiverOptions,
} from "./webhook-receiver.ts";
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookProblem,
  WebhookVerificationError,
} from "./webhooks.ts";
