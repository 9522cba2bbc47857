import { setTimeout as sleep } from "node:timers/promises";

/** Longer than a request takes, so that a request is delayed by at most one piece of work. */
const PAUSE_MS = 50;

/**
 * Does what the first request of a kind would otherwise wait for, one piece after the other with pauses between them, so
 * that requests go on meanwhile. Ends early when the signal is aborted. Never rejects. For the
 * rules of the messages and the first `Headers`, that is 150 ms of CPU that the first requests would pay.
 */
export async function warmUp(
  pieces: Iterable<() => unknown>,
  options: { readonly signal: AbortSignal; readonly onError: (err: unknown) => void },
): Promise<void> {
  const { signal, onError } = options;
  for (const piece of pieces) {
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await piece();
    } catch (err) {
      // The first request that needs it fails with the same error.
      onError(err);
    }
  }
}
