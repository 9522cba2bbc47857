// promise: usage.series
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { KeyUsage } from "../../src/domain/credentials/key.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import type { UsagePeriod, UsageStep } from "../../src/domain/usage/period.ts";
import { type StepUses, totalsOf } from "../../src/domain/usage/series.ts";
import type { UsageHistory } from "../../src/domain/usage/usage-store.ts";
import type { KeyUses, UseFailure } from "../../src/domain/usage/uses.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { createUsageRecorder } from "../../src/store/recorders/usage-recorder.ts";
import { ACT } from "../harness/act.ts";
import { newKey } from "./records.ts";

/** Stores of one database, which other suites may use, too. */
export interface UsageStores {
  readonly keys: KeyStore;
  readonly history: UsageHistory;
}

const HOUR_MS = 3_600_000;
const MIDNIGHT = new Date("2026-02-28T00:00:00Z");
const NEVER = new AbortController().signal;
const NO_USAGE: KeyUsage = { total: 0, successful: 0, failed: 0 };

/** So many hours after the midnight that the tests' periods begin with. */
function at(hours: number): Date {
  return new Date(MIDNIGHT.getTime() + hours * HOUR_MS);
}

function period(fromHours: number, toHours: number, step: UsageStep = "hour"): UsagePeriod {
  return { step, from: at(fromHours), to: at(toHours) };
}

type Use = readonly [hour: number, failure: UseFailure | null, count: number];

function usesOf(...uses: readonly Use[]): KeyUses {
  const hours = uses.map(([hour, failure, count]) => ({ hour: at(hour), failure, count }));
  return { hours, lastUsedAt: at(Math.max(...uses.map(([hour]) => hour))) };
}

/** In their order: by the begin, then by the outcome. */
function sorted(uses: readonly StepUses[]): Use[] {
  const name = ({ from, failure }: StepUses) => `${from.toISOString()} ${failure ?? ""}`;
  return uses
    .toSorted((a, b) => (name(a) < name(b) ? -1 : 1))
    .map(({ from, failure, count }) => [(from.getTime() - MIDNIGHT.getTime()) / HOUR_MS, failure, count]);
}

/** What every store of uses by the hour promises. */
export function usageStoreSuite(name: string, open: () => Promise<UsageStores>): void {
  describe(`uses by the hour in ${name}`, () => {
    let keys: KeyStore;
    let history: UsageHistory;
    beforeAll(async () => {
      ({ keys, history } = await open());
    });

    async function storedKey(tenantId = newId("ten"), label = "a key"): Promise<{ tenantId: string; keyId: string }> {
      const key = newKey({ tenantId, name: label });
      await keys.insertKey(key, ACT);
      return key.record;
    }

    const add = (...all: readonly (readonly [keyId: string, uses: KeyUses])[]) =>
      keys.addUsage(randomUUID(), new Map(all));

    test("a key never used has none, and so has a key that is unknown or another tenant's", async () => {
      const { tenantId, keyId } = await storedKey();
      const none = { usage: NO_USAGE, uses: [] };
      expect(await history.readKey(tenantId, keyId, period(0, 24))).toEqual(none);
      await add([keyId, usesOf([1, null, 1])]);
      expect(await history.readKey(newId("ten"), keyId, period(0, 24))).toEqual(none);
      expect(await history.readKey(tenantId, newId("key"), period(0, 24))).toEqual(none);
    });

    test("uses add up by their hour and outcome, in one batch and in several", async () => {
      const { tenantId, keyId } = await storedKey();
      await add([keyId, usesOf([1, null, 5], [1, "rate_limited", 2], [2, null, 1])]);
      await add([keyId, usesOf([2, "not_found", 1], [1, null, 3], [2, null, 1])]);
      const { usage, uses } = await history.readKey(tenantId, keyId, period(0, 24));
      expect(sorted(uses)).toEqual([
        [1, null, 8],
        [1, "rate_limited", 2],
        [2, null, 2],
        [2, "not_found", 1],
      ]);
      expect(usage).toEqual({ total: 13, successful: 10, failed: 3 });
    });

    test("a period has the hours from its begin on and before its end, and the counters have all", async () => {
      const { tenantId, keyId } = await storedKey();
      await add([keyId, usesOf([0, null, 1], [1, null, 2], [2, null, 4], [3, null, 8])]);
      const { usage, uses } = await history.readKey(tenantId, keyId, period(1, 3));
      expect(sorted(uses)).toEqual([
        [1, null, 2],
        [2, null, 4],
      ]);
      expect(usage.total).toBe(15);
      expect((await history.readKey(tenantId, keyId, period(4, 5))).usage.total).toBe(15);
      expect(sorted(await history.readTenant(tenantId, period(1, 3)))).toEqual(sorted(uses));
    });

    test("a day is one of UTC", async () => {
      const { tenantId, keyId } = await storedKey();
      await add([keyId, usesOf([-1, null, 1], [0, null, 2], [23, null, 4], [23, "jwt_expired", 1], [24, null, 8])]);
      const days: Use[] = [
        [-24, null, 1],
        [0, null, 6],
        [0, "jwt_expired", 1],
        [24, null, 8],
      ];
      expect(sorted((await history.readKey(tenantId, keyId, period(-24, 48, "day"))).uses)).toEqual(days);
      expect(sorted(await history.readTenant(tenantId, period(-24, 48, "day")))).toEqual(days);
    });

    test("a tenant has the uses of all its keys, and of no other tenant's", async () => {
      const [one, stranger] = [await storedKey(), await storedKey()];
      const other = await storedKey(one.tenantId);
      await add(
        [one.keyId, usesOf([1, null, 1], [1, "rate_limited", 2])],
        [other.keyId, usesOf([1, null, 4], [2, null, 8])],
        [stranger.keyId, usesOf([1, null, 16])],
      );
      expect(sorted(await history.readTenant(one.tenantId, period(0, 24)))).toEqual([
        [1, null, 5],
        [1, "rate_limited", 2],
        [2, null, 8],
      ]);
      expect(await history.readTenant(newId("ten"), period(0, 24))).toEqual([]);
    });

    test("the last period that there is can be read", async () => {
      const last = { step: "day", from: new Date("9998-12-31"), to: new Date("9999-01-01") } as const;
      const first = { step: "day", from: new Date("0001-01-01"), to: new Date("0001-01-02") } as const;
      for (const each of [first, last]) expect(await history.readTenant(newId("ten"), each)).toEqual([]);
    });

    test("top keys are those with most uses in the period, in order, and no other tenant's", async () => {
      const busy = await storedKey(undefined, "busy");
      const { tenantId } = busy;
      const failing = await storedKey(tenantId, "failing");
      const idle = await storedKey(tenantId, "idle");
      await storedKey(tenantId, "never used");
      const stranger = await storedKey();
      await add(
        [busy.keyId, usesOf([1, null, 3], [2, null, 3])],
        [failing.keyId, usesOf([1, "rate_limited", 2], [1, "jwt_expired", 2], [1, null, 1], [30, null, 100])],
        [idle.keyId, usesOf([1, null, 1])],
        [stranger.keyId, usesOf([1, null, 50])],
      );
      const top = await history.readTopKeys(tenantId, period(0, 24), 10);
      expect(top).toEqual([
        { keyId: busy.keyId, name: "busy", usage: { total: 6, successful: 6, failed: 0 } },
        { keyId: failing.keyId, name: "failing", usage: { total: 5, successful: 1, failed: 4 } },
        { keyId: idle.keyId, name: "idle", usage: { total: 1, successful: 1, failed: 0 } },
      ]);
      expect(await history.readTopKeys(tenantId, period(0, 24), 2)).toEqual(top.slice(0, 2));
      expect((await history.readTopKeys(tenantId, period(24, 48), 10)).map(({ keyId }) => keyId)).toEqual([
        failing.keyId,
      ]);
    });

    test("an hour of a clock that is years ahead for a moment is a day ahead at most, and counts once", async () => {
      const { tenantId, keyId } = await storedKey();
      const now = Date.now();
      const ahead = [3_650 * 24, 3_650 * 24 + 1].map((hours) => new Date(now + hours * HOUR_MS));
      const hours = ahead.map((hour) => ({ hour, failure: null, count: 1 }));
      await add([keyId, { hours, lastUsedAt: ahead[1] ?? at(0) }]);
      const soon = {
        step: "hour",
        from: new Date(Math.floor(now / HOUR_MS) * HOUR_MS),
        to: new Date(now + 25 * HOUR_MS),
      } as const;
      const { usage, uses } = await history.readKey(tenantId, keyId, soon);
      expect(usage.total).toBe(2);
      expect(uses.map(({ count }) => count)).toEqual([2]);
    });

    test("many replicas in any order lose no use and do not deadlock, also while old hours are removed", async () => {
      const stored = await Promise.all(Array.from({ length: 20 }, () => storedKey()));
      const uses = (n: number) => usesOf([-100_000 + n, null, 1], [n % 3, null, n + 1], [n % 3, "rate_limited", 1]);
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const order = n % 2 === 0 ? stored : stored.toReversed();
          await add(...order.map(({ keyId }) => [keyId, uses(n)] as const));
          await history.removeBefore(at(-50_000), 7);
        }),
      );
      for (const { tenantId, keyId } of stored) {
        const { usage, uses: kept } = await history.readKey(tenantId, keyId, period(0, 24));
        expect(usage).toEqual({ total: 250, successful: 230, failed: 20 });
        expect(totalsOf(kept)).toEqual({ total: 230, successful: 210, failed: 20 });
      }
    });

    test("old hours are removed in pieces, those of the instant itself and later are kept, and so are the counters", async () => {
      // Older than all other rows of this database.
      const from = -200_000;
      const { tenantId, keyId } = await storedKey();
      await add([keyId, usesOf(...Array.from({ length: 25 }, (_, hour): Use => [from + hour, null, 1]))]);
      const remove = () => history.removeBefore(at(from + 23), 10);
      expect([await remove(), await remove(), await remove(), await remove()]).toEqual([10, 10, 3, 0]);
      const { usage, uses } = await history.readKey(tenantId, keyId, period(from, from + 25));
      expect(sorted(uses)).toEqual([
        [from + 23, null, 1],
        [from + 24, null, 1],
      ]);
      expect(usage.total).toBe(25);
    });

    test("law: whatever replies are lost and whatever is sent again, a key's hours are its uses, and their sum its counters", async () => {
      const keyIndex = fc.nat(2);
      const failure = fc.constantFrom<UseFailure | undefined>(undefined, undefined, "rate_limited", "api_key_revoked");
      const event = fc.oneof(
        {
          weight: 6,
          arbitrary: fc.record({ kind: fc.constant("count" as const), keyIndex, failure, hour: fc.nat(3) }),
        },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant("store" as const), keyIndex }) },
        { weight: 1, arbitrary: fc.constant({ kind: "lose the request" } as const) },
        { weight: 1, arbitrary: fc.constant({ kind: "lose the reply" } as const) },
      );
      const property = fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (run) => {
        const stored = await Promise.all(Array.from({ length: 3 }, () => storedKey()));
        const lost = { request: false, reply: false };
        const recorder = createUsageRecorder({
          keys: {
            async addUsage(batchId, uses) {
              const { request, reply } = lost;
              lost.request = lost.reply = false;
              if (request) throw new Error("the request was lost");
              await keys.addUsage(batchId, uses);
              if (reply) throw new Error("the reply was lost");
            },
          },
          onError: () => {},
          onStored: () => {},
          onLost: () => {},
        });
        const counted = stored.map(() => new Map<string, number>());
        for (const step of run) {
          if (step.kind === "count") {
            const { keyIndex: index, failure: why, hour } = step;
            recorder.count(stored[index]?.keyId ?? "", { failure: why, at: new Date(at(hour).getTime() + 1_234_567) });
            const name = `${hour} ${why ?? null}`;
            counted[index]?.set(name, (counted[index]?.get(name) ?? 0) + 1);
          } else if (step.kind === "store") {
            await recorder.store([stored[step.keyIndex]?.keyId ?? ""]).catch(() => {});
          } else lost[step.kind === "lose the reply" ? "reply" : "request"] = true;
        }
        await recorder.close(NEVER);
        for (const [index, { tenantId, keyId }] of stored.entries()) {
          const { usage, uses } = await history.readKey(tenantId, keyId, period(0, 24));
          expect(new Map(sorted(uses).map(([hour, why, count]) => [`${hour} ${why}`, count]))).toEqual(counted[index]);
          expect(usage).toEqual(totalsOf(uses));
        }
      });
      await fc.assert(property, { numRuns: 30 });
    });
  });
}
