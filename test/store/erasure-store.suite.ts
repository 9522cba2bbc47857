// promise: erasure.finishes
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ERASED, type OpenErasures, openedErasures } from "./erasure-steps.ts";

/** What every ErasureStore promises of every erasure. */
export function erasureStoreSuite(name: string, open: OpenErasures): void {
  describe(`erasures in ${name}`, () => {
    const { opened, ofUser, ofTenant, finish, erase, send, storedKey, foundOrg, threads, events } =
      openedErasures(open);

    test("many keys, members and messages take several pieces, all of which are counted", async () => {
      const { org } = await foundOrg();
      const { tenantId } = org;
      for (let n = 0; n < 130; n++) await storedKey({ tenantId });
      const first = await send({ tenantId });
      for (let n = 0; n < 120; n++) await send({ tenantId, conversationKey: `c${n}` });
      const begun = await opened().erasures.begin(ofTenant(tenantId), ERASED);
      await opened().erasures.removePiece(begun.erasureId);
      const halfway = await opened().erasures.read(begun.erasureId);
      expect(halfway).toEqual({ ...halfway, isFinished: false, removed: { keys: 100 } });
      expect(await threads(tenantId)).toBe(121);
      const { removed } = await finish(begun);
      expect(removed).toMatchObject({ keys: 130, conversations: 121, messages: 121, runs: 121, members: 2 });
      expect(first.tenantId).toBe(tenantId);
    });

    test("the end is one event, with its target, its first caller and the number of each kind; the id is the erasure's", async () => {
      const userId = `user-${randomUUID()}`;
      const { tenantId } = await send({ userId });
      const begun = await opened().erasures.begin(ofUser(tenantId, userId), ERASED);
      const joined = await opened().erasures.begin(ofUser(tenantId, userId), { ...ERASED, requestId: "req_second" });
      expect(joined.erasureId).toBe(begun.erasureId);
      expect(await events(userId)).toEqual([]);
      await finish(begun);
      const gone = { old: 1, new: 0 };
      expect(await events(userId)).toEqual([
        {
          ...ERASED,
          eventId: begun.erasureId,
          at: expect.any(Date),
          tenantId,
          targetId: userId,
          changes: { conversations: gone, runs: gone, messages: gone, client_message_ids: gone },
          refusal: null,
          impersonation: null,
        },
      ]);
      expect(await opened().erasures.read(begun.erasureId)).toMatchObject({
        isFinished: true,
        removed: { conversations: 1 },
      });
    });

    test("an erasure that finds nothing has no event, and neither has a second one", async () => {
      const { org, member } = await foundOrg();
      expect(await erase(ofUser(org.tenantId, "unknown"))).toMatchObject({ isFinished: true, removed: {} });
      expect(await events("unknown")).toEqual([]);
      for (let n = 0; n < 2; n++) await erase(ofUser(org.tenantId, member));
      expect(await events(member)).toHaveLength(1);
      for (let n = 0; n < 2; n++) await erase(ofTenant(org.tenantId));
      expect(await events(org.tenantId)).toHaveLength(1);
    });

    test("many workers at once remove each record once", async () => {
      const { tenantId } = await send({});
      for (let n = 0; n < 150; n++) await send({ tenantId, conversationKey: `c${n}` });
      const { erasureId } = await opened().erasures.begin(ofTenant(tenantId), ERASED);
      const worker = async () => {
        while ((await opened().erasures.removePiece(erasureId)) !== "finished");
      };
      await Promise.all(Array.from({ length: 4 }, worker));
      expect((await opened().erasures.read(erasureId)).removed).toMatchObject({ conversations: 151, messages: 151 });
      expect(await events(tenantId)).toHaveLength(1);
      expect(await opened().erasures.listUnfinished()).not.toContain(erasureId);
    });

    test("identifiers of any length and alphabet are those of one target", async () => {
      const names = ["😀".repeat(256), `"'\\{}`, "x", "x "];
      for (const userId of names) await send({ tenantId: names[0] ?? "", userId, conversationKey: "k" });
      await erase(ofUser(names[0] ?? "", "x"));
      expect(await threads(names[0] ?? "")).toBe(3);
      await erase(ofUser(names[0] ?? "", names[0] ?? ""));
      expect(await threads(names[0] ?? "")).toBe(2);
      await erase(ofTenant(names[0] ?? ""));
      expect(await threads(names[0] ?? "")).toBe(0);
    });
  });
}
