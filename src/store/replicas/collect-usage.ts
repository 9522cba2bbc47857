import { type Clocks, OWN_CLOCKS } from "./lease.ts";
import type { Replica } from "./replica.ts";
import type { ReplicaTable } from "./replica-table.ts";
import type { Roster } from "./roster.ts";

/** How long a reader waits for the other replicas. One that is dead is in the list for some seconds. */
const ANSWER_MS = 1_000;

export interface CollectUsageContext {
  readonly table: Pick<ReplicaTable, "insertUsageQuestion" | "deleteUsageQuestion">;
  readonly roster: Pick<Roster, "haveSeen">;
  readonly replica: Pick<Replica, "wake">;
  readonly wakeOthers: () => void;
  /** Stores what this process has counted of some keys. May throw `StoreUnavailable`. */
  readonly store: (keyIds: Iterable<string>) => Promise<void>;
  readonly clocks?: Pick<Clocks, "monotonicMs">;
}

/**
 * Returns a function that has all replicas store what they have counted of a key. It resolves when they have, or after a
 * second. May throw `StoreUnavailable`.
 */
export function createUsageCollector(ctx: CollectUsageContext): (keyId: string) => Promise<void> {
  const { table, roster, replica, wakeOthers, store, clocks = OWN_CLOCKS } = ctx;

  async function askAll(keyId: string): Promise<void> {
    const question = await table.insertUsageQuestion(keyId);
    replica.wake();
    wakeOthers();
    await roster.haveSeen(question, clocks.monotonicMs() + ANSWER_MS, "counted");
    // In the background: a question that stays is answered for a few seconds more.
    table.deleteUsageQuestion(question.questionId).catch(() => undefined);
  }

  return async (keyId) => {
    // Counts that this process cannot store are an error. Those of another one are left out.
    await Promise.all([store([keyId]), askAll(keyId)]);
  };
}
