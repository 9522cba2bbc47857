import { setTimeout as sleep } from "node:timers/promises";

/** Longer than a request takes, so that one under way is delayed by one piece of work at most. */
const PAUSE_MS = 50;

/**
 * Does what the first request of a kind would otherwise wait for, one piece after the other with pauses between them, so
 * that requests go on meanwhile. Ends early when the signal is aborted. Never rejects.
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
      // Whoever needs it will be told, too.
      onError(err);
    }
  }
}
