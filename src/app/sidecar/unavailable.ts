import type { PlainAnswer } from "../../transport/answer/plain-answer.ts";
import { PlainHeaders } from "../../transport/answer/plain-headers.ts";

const MESSAGE = "The credentials could not be checked just now: they are neither accepted nor refused. Retry.";
const RETRY_AFTER_SECONDS = "1";

/** The answer of every guard to a call that nothing can decide. It is never an admission. */
export function unavailable(): PlainAnswer {
  const body = JSON.stringify({ code: "unavailable", message: MESSAGE, reason: "verifier_error" });
  const headers = new PlainHeaders({
    "content-type": "application/json",
    "cache-control": "no-store",
    "retry-after": RETRY_AFTER_SECONDS,
    // For proxies that cannot pass on a body, as those of a denial.
    "x-auth-denial-reason": "verifier_error",
    "x-auth-denial": body,
  });
  return { status: 503, code: "unavailable", headers, body };
}
