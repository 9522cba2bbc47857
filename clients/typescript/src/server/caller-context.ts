import type { ContextKey } from "@connectrpc/connect";
import type { VerifiedCaller } from "./caller.ts";

/** The caller of an RPC. Those of an RPC with `tenant_optional` may have no tenant. */
export type ConnectCaller = Omit<VerifiedCaller, "tenantId"> & { readonly tenantId: string | undefined };

/**
 * Where `guard.connect` puts the caller: `context.values.get(callerContext)`. Undefined where anyone may call.
 * `callerOf(context)` is shorter, for RPCs whose callers have a tenant.
 */
export const callerContext: ContextKey<ConnectCaller | undefined> = {
  // One key for all copies of this package.
  id: Symbol.for("latchkey.caller.context"),
  defaultValue: undefined,
};
