import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { errorOf } from "./error-info.ts";

export const DEADLINE_PASSED =
  "The call's deadline passed before its answer; whether it took effect is not known: read before you repeat it, or allow it more time.";

/** The error of a call that was not answered before its deadline. */
export function deadlinePassed(): ConnectError {
  return errorOf("deadline_passed", DEADLINE_PASSED);
}

/**
 * Answers a call with `deadline_exceeded` when its deadline passes. Connect itself only aborts the signal and still waits
 * for the service. Work that has begun continues to its end, as if the answer were lost on its way. Other work never begins.
 */
export function createDeadlineInterceptor(): Interceptor {
  return (next) => (req) => {
    const { signal } = req;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        // After a client disconnect, no answer is needed, and the call ends as it would have.
        if (isDeadline(signal.reason)) reject(deadlinePassed());
      };
      signal.addEventListener("abort", end);
      if (signal.aborted && isDeadline(signal.reason)) return end();
      next(req)
        .then(resolve, reject)
        .finally(() => signal.removeEventListener("abort", end));
    });
  };
}

function isDeadline(reason: unknown): boolean {
  return reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;
}
