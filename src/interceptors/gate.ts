import type { HandlerContext } from "@connectrpc/connect";
import { readCredentials } from "../domain/identity/credentials.ts";
import { authorize } from "../domain/policy/authorize.ts";
import { type AuthenticationContext, authenticate } from "./authentication.ts";
import { callOf } from "./call.ts";
import type { ErrorTranslator } from "./errors.ts";
import { type Policies, policyOf } from "./policies.ts";

/**
 * The gate judges every request from its headers alone, before a byte of the body is read.
 *
 * Connect's interceptors would be too late: it parses the body first, so that a broken body would answer 400 before 401.
 */
export function createGate(
  ctx: AuthenticationContext & { readonly policies: Policies; readonly translate: ErrorTranslator },
): (context: HandlerContext) => Promise<void> {
  return async (context) => {
    const call = callOf(context.values);
    const policy = policyOf(ctx.policies, context.method);
    if (policy.noStore) context.responseHeader.set("Cache-Control", "no-store");
    try {
      call.principal = await authenticate(ctx, readCredentials(call.credentials));
      call.principal = authorize(call.principal, policy, call.credentials.onBehalfOf);
    } catch (err) {
      throw ctx.translate(err, call);
    }
  };
}
