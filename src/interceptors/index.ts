import type { Interceptor } from "@connectrpc/connect";
import { createDeadlineInterceptor } from "./deadline.ts";
import { createErrorInterceptor, type ErrorTranslator } from "./errors.ts";
import { createValidationInterceptor } from "./validation.ts";

export { createCheckCaller } from "./gate/check-caller.ts";
export { createGate, toRequestGate } from "./gate/gate.ts";
export { loadPolicies } from "./policies.ts";
export { warmUpValidation } from "./validation.ts";

/**
 * THE list of what happens around a call, in its order.
 *
 * The gate (gate.ts), from the headers alone, before the body is read:
 *   1. credentials present, key known, key usable, user token valid (authentication.ts)
 *   2. rate limit: one request spent, or denied (rate-limit.ts)
 *   3. caller kind, scope, impersonation, tenant (domain/policy/authorize.ts)
 *
 * Then, around the parsed message, outermost first:
 *   4. errors: whatever is thrown further in leaves as a ConnectError made by us
 *   5. deadline: a call that is not answered when its deadline passes ends there (deadline.ts)
 *   6. validation: the message is what the proto says; innermost, so that its faults are translated too
 */
export function createInterceptors(translate: ErrorTranslator): Interceptor[] {
  return [createErrorInterceptor(translate), createDeadlineInterceptor(), createValidationInterceptor()];
}
