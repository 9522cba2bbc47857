import type { Interceptor } from "@connectrpc/connect";

/** Ends an attempt with its call, even if `getUserToken` or `fetch` ignores the signal. */
export const endWithSignal: Interceptor = (next) => (req) => untilAborted(req.signal, () => next(req));

/** Settles as the work does, or rejects with the signal's reason if that aborts first; the work's result is then ignored. */
export function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const end = (): void => reject(signal.reason);
    signal.addEventListener("abort", end);
    work()
      .finally(() => signal.removeEventListener("abort", end))
      .then(resolve, reject);
  });
}
