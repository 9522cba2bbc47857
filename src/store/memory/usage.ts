import type { KeyUsage } from "../../domain/keys/key.ts";
import type { KeyStore, UsageRecorder } from "../../domain/ports.ts";

/** How often counts are stored; what a killed process loses at most. */
const FLUSH_MS = 1_000;

type Counted = KeyUsage & { readonly lastUsedAt: Date };

export interface UsageRecorderContext {
  readonly keys: Pick<KeyStore, "addUsage">;
  readonly onError: (err: unknown) => void;
}

/**
 * Counts in this process and adds to the stored counters once a second, and before a reader asks.
 *
 * A store that is away loses nothing: the counts are kept and stored later. A process killed without a signal loses
 * those of its last second; a flush whose answer was lost may count twice.
 */
export function createUsageRecorder(ctx: UsageRecorderContext): UsageRecorder & { close(): Promise<void> } {
  let counts = new Map<string, Counted>();
  let underWay: Promise<void> = Promise.resolve();

  async function store(): Promise<void> {
    if (counts.size === 0) return;
    const taken = counts;
    counts = new Map();
    try {
      await ctx.keys.addUsage(taken);
    } catch (err) {
      for (const [keyId, usage] of taken) add(counts, keyId, usage);
      throw err;
    }
  }

  function flush(): Promise<void> {
    // One after the other: a reader must also wait for a flush that began before it.
    underWay = underWay.catch(() => {}).then(store);
    return underWay;
  }

  const timer = setInterval(() => flush().catch(ctx.onError), FLUSH_MS);
  return {
    count(keyId, { successful, at }) {
      add(counts, keyId, { total: 1, successful: successful ? 1 : 0, failed: successful ? 0 : 1, lastUsedAt: at });
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush().catch(ctx.onError);
    },
  };
}

function add(counts: Map<string, Counted>, keyId: string, more: Counted): void {
  const known = counts.get(keyId);
  counts.set(
    keyId,
    known === undefined
      ? more
      : {
          total: known.total + more.total,
          successful: known.successful + more.successful,
          failed: known.failed + more.failed,
          lastUsedAt: new Date(Math.max(known.lastUsedAt.getTime(), more.lastUsedAt.getTime())),
        },
  );
}
