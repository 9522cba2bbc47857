export { callerOf, type VerifiedCaller } from "./caller.ts";
export { type ConnectCaller, callerContext } from "./caller-context.ts";
export type { ConnectOptions } from "./connect-guard.ts";
export type { FetchHandler, GuardedFetchHandler } from "./fetch-guard.ts";
export { createGuard, type Guard, type RequestOptions } from "./guard.ts";
export type { FastifyReplyLike, FastifyRequestLike, NodeGuard } from "./node-guard.ts";
export type { Scopes } from "./scopes.ts";
export type { GuardOptions } from "./verification.ts";
