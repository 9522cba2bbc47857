import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

export const DEADLINE_PASSED =
  "The call's deadline passed before its answer; whether it took effect is not known: read before you repeat it, or allow it more time.";

/**
 * Answers a call whose deadline passes with `deadline_exceeded`: Connect tells the service, and waits for its answer all
 * the same. What was begun goes on to its end, as where an answer is lost on its way; what was not begun is not.
 */
export function createDeadlineInterceptor(): Interceptor {
  return (next) => (req) => {
    const { signal } = req;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        // A client that has left has nobody waiting for an answer, and its call ends as it would have.
        if (isDeadline(signal.reason)) reject(new ConnectError(DEADLINE_PASSED, Code.DeadlineExceeded));
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
