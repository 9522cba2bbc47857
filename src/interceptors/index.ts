import type { Interceptor } from "@connectrpc/connect";
import { createDeadlineInterceptor } from "./deadline.ts";
import { createErrorInterceptor, type ErrorTranslator } from "./errors.ts";
import { IDEMPOTENCY_KEY } from "./idempotency-key.ts";
import { checkNamedMessage } from "./message-checks.ts";

export { createCheckCaller } from "./gate/check-caller.ts";
export { toRequestGate } from "./gate/gate.ts";
export { createServiceGate } from "./gate/service-gate.ts";
export { loadPolicies, policiesByName } from "./policies.ts";
export { warmUpValidation } from "./validation.ts";

/**
 * What Connect runs around the parsed message, outermost first: errors leave as a `ConnectError` of ours; a call that is
 * not answered when its deadline passes ends; the message is checked. `gate/gate.ts` says what comes before.
 */
export function createInterceptors(translate: ErrorTranslator): Interceptor[] {
  return [createErrorInterceptor(translate), createDeadlineInterceptor(), messageInterceptor];
}

/** The last part of the order, for messages that came through Connect; innermost, so that its faults are translated too. */
const messageInterceptor: Interceptor = (next) => (req) => {
  if (!req.stream) checkNamedMessage(req.method, req.message, req.header.get(IDEMPOTENCY_KEY) ?? undefined);
  return next(req);
};
