import type { Interceptor } from "@connectrpc/connect";

/** Ends an attempt with its call, the user's token included: neither whoever answers that nor a `fetch` need heed signals. */
export const endWithSignal: Interceptor = (next) => (req) => untilAborted(req.signal, () => next(req));

/** What the work comes to, or the reason of the signal if that aborts first; then nobody is told what the work came to. */
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
