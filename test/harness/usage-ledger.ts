import assert from "node:assert/strict";
import type { KeyUsage } from "../../src/domain/credentials/key.ts";
import type { HourUses, KeyUses } from "../../src/domain/usage/uses.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";

/** The last use of a key that has none yet. */
const LONG_AGO = new Date(0);

/** How a call of the store ends. */
export type StoreOutcome = "stored" | "lost" | "stored, but the answer was lost";

interface Sent {
  readonly batchId: string;
  readonly keys: number;
  readonly rows: number;
  readonly end: (outcome: StoreOutcome) => void;
}

/**
 * `KeyStore.addUsage` in memory: a batch counts once. The test decides how each call ends: at once if `outcome` is set,
 * otherwise when the test ends it.
 */
export class Ledger {
  outcome: StoreOutcome | undefined = "stored";
  readonly totals = new Map<string, { readonly uses: Map<string, number>; lastUsedAt: Date }>();
  readonly sent: Sent[] = [];
  readonly #batches = new Set<string>();
  underWay = 0;
  mostUnderWay = 0;

  addUsage = async (batchId: string, usage: ReadonlyMap<string, KeyUses>): Promise<void> => {
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay);
    let rows = 0;
    for (const { hours } of usage.values()) rows += hours.length;
    const ending = new Promise<StoreOutcome>((end) => this.sent.push({ batchId, keys: usage.size, rows, end }));
    const outcome = this.outcome ?? (await ending);
    this.underWay -= 1;
    if (outcome !== "lost" && !this.#batches.has(batchId)) {
      this.#batches.add(batchId);
      for (const [keyId, more] of usage) this.#add(keyId, more);
    }
    if (outcome !== "stored") throw new StoreUnavailable(outcome);
  };

  #add(keyId: string, { hours, lastUsedAt }: KeyUses): void {
    // Not vitest's assertions: they would take most of the time of a test with 50,000 rows.
    assert(hours.length > 0);
    const counts = this.totals.get(keyId) ?? { uses: new Map(), lastUsedAt: LONG_AGO };
    for (const use of hours) {
      assert(use.count > 0);
      counts.uses.set(nameOf(use), (counts.uses.get(nameOf(use)) ?? 0) + use.count);
    }
    if (lastUsedAt > counts.lastUsedAt) counts.lastUsedAt = lastUsedAt;
    this.totals.set(keyId, counts);
  }

  of(keyId: string): KeyUsage | undefined {
    const counts = this.totals.get(keyId);
    if (counts === undefined) return undefined;
    let [total, successful] = [0, 0];
    for (const [name, count] of counts.uses) {
      total += count;
      if (name.endsWith(" successful")) successful += count;
    }
    return { total, successful, failed: total - successful };
  }

  /** The different usages of these keys. */
  ofEach(keyIds: readonly string[]): (KeyUsage | undefined)[] {
    return [...new Set(keyIds.map((keyId) => JSON.stringify(this.of(keyId))))].map((usage) => JSON.parse(usage));
  }

  /** The uses of a key by their hour and outcome: `{"2027-01-15T08 successful": 2}`. */
  hoursOf(keyId: string): Record<string, number> {
    return Object.fromEntries(this.totals.get(keyId)?.uses ?? []);
  }
}

function nameOf({ hour, failure }: Pick<HourUses, "hour" | "failure">): string {
  const text = hour.toISOString();
  assert(text.endsWith(":00:00.000Z"));
  return `${text.slice(0, 13)} ${failure ?? "successful"}`;
}
