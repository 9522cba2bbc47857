// promise: audit.impersonation
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { AuditTrail, ImpersonatedCalls } from "../../src/domain/audit/audit-trail.ts";
import { storeImpersonations } from "../../src/domain/audit/impersonations.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";

const HOUR_MS = 3_600_000;
/** Long ago, so that no other test has hours before it. */
const FIRST = new Date("2020-03-01T12:00:00Z");
const ALL = { from: null, to: null, actorId: "", action: "user.impersonated", targetId: "", requestId: "" };

/** What every audit trail promises of the hours in which keys acted for users. */
export function impersonationSuite(name: string, open: () => Promise<AuditTrail>): void {
  describe(`hours of impersonation in ${name}`, () => {
    let audit: AuditTrail;
    beforeAll(async () => {
      audit = await open();
    });

    const counted = (fields: Partial<ImpersonatedCalls>): ImpersonatedCalls => ({
      hour: FIRST,
      tenantId: "ten_1",
      keyId: "key_1",
      userId: "user-1",
      calls: 1,
      origin: { address: "192.0.2.1", requestId: "req_1", traceId: null },
      ...fields,
    });

    async function storeAll(now: Date): Promise<void> {
      while (await storeImpersonations(audit, now));
    }

    const eventsOf = async (tenantId: string) =>
      (await audit.listEvents(tenantId, ALL, { after: undefined, perPage: 100 })).events;

    test("calls that several replicas counted add up to one event, which a batch sent again does not change", async () => {
      const tenantId = newId("ten");
      const batchId = randomUUID();
      const first = [counted({ tenantId, calls: 3 })];
      await audit.addImpersonations(batchId, first);
      await audit.addImpersonations(batchId, first);
      const others = Array.from({ length: 5 }, (_, n) =>
        audit.addImpersonations(randomUUID(), [
          counted({ tenantId, userId: "user-2", calls: 10 }),
          counted({ tenantId, calls: 2, origin: { address: null, requestId: `req_later_${n}`, traceId: null } }),
        ]),
      );
      await Promise.all(others);
      const now = new Date(FIRST.getTime() + HOUR_MS + 120_001);
      await Promise.all([storeAll(now), storeAll(now), storeAll(now)]);
      const events = (await eventsOf(tenantId)).toSorted((a, b) => (a.targetId < b.targetId ? -1 : 1));
      expect(events).toEqual([
        {
          eventId: expect.stringMatching(/^aud_[0-9a-f]{32}$/),
          at: expect.any(Date),
          actor: { kind: "secret_key", keyId: "key_1", userId: "user-1", issuer: null, operatorToken: null },
          action: "user.impersonated",
          tenantId,
          targetId: "user-1",
          changes: {},
          refusal: null,
          impersonation: { hour: FIRST.toISOString(), calls: 13 },
          address: "192.0.2.1",
          requestId: "req_1",
          traceId: null,
        },
        expect.objectContaining({
          targetId: "user-2",
          impersonation: { hour: FIRST.toISOString(), calls: 50 },
        }),
      ]);
    });

    test("an hour is no event until two minutes after its end, and each hour, key and user has its own", async () => {
      const tenantId = newId("ten");
      const next = new Date(FIRST.getTime() + HOUR_MS);
      await audit.addImpersonations(randomUUID(), [
        counted({ tenantId }),
        counted({ tenantId, keyId: "key_2" }),
        counted({ tenantId, hour: next }),
      ]);
      await storeAll(new Date(next.getTime() + 120_000));
      expect(await eventsOf(tenantId)).toEqual([]);
      await storeAll(new Date(next.getTime() + 120_001));
      const hours = async () => (await eventsOf(tenantId)).map(({ impersonation }) => impersonation?.hour);
      expect(await hours()).toEqual([FIRST.toISOString(), FIRST.toISOString()]);
      await storeAll(new Date(next.getTime() + 2 * HOUR_MS));
      expect(await hours()).toContain(next.toISOString());
      expect(await hours()).toHaveLength(3);
    });

    test("many more users than a piece has are stored piece by piece, each call once", async () => {
      const tenantId = newId("ten");
      const users = Array.from({ length: 1_200 }, (_, n) => counted({ tenantId, userId: `user-${n}`, calls: n + 1 }));
      await audit.addImpersonations(randomUUID(), users);
      await storeAll(new Date(FIRST.getTime() + 2 * HOUR_MS));
      let calls = 0;
      let count = 0;
      let after: Parameters<AuditTrail["listEvents"]>[2]["after"];
      do {
        const page = await audit.listEvents(tenantId, ALL, { after, perPage: 1_000 });
        count += page.events.length;
        for (const { impersonation } of page.events) calls += impersonation?.calls ?? 0;
        after = page.next;
      } while (after !== undefined);
      expect({ count, calls }).toEqual({ count: 1_200, calls: (1_200 * 1_201) / 2 });
    });
  });
}
