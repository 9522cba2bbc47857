// promise: erasure.user, erasure.last-owner, erasure.finishes
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Act } from "../../src/domain/audit/event.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { ACT, ACTOR } from "../harness/act.ts";
import { newAccessToken } from "../harness/new-access-token.ts";
import { newRequest } from "../harness/recent-requests.ts";
import { ERASED, ISSUER, type OpenErasures, openedErasures } from "./erasure-steps.ts";
import { newKey, newMessage } from "./records.ts";

/** What every ErasureStore promises of the erasure of a user. */
export function userErasureSuite(name: string, open: OpenErasures): void {
  describe(`erasures of users in ${name}`, () => {
    const { opened, ofUser, erase, send, foundOrg, threads, memberships } = openedErasures(open);

    test("a user's conversations are removed with their messages, runs and ids, and no text of them is left in any table", async () => {
      const { org, member, emailOf } = await foundOrg();
      const { tenantId } = org;
      const text = `a secret of ${randomUUID()}`;
      const first = await send({ tenantId, userId: member, parts: [text] });
      await send({
        ...first,
        messageId: newId("msg"),
        runId: newId("run"),
        clientMessageId: `id of ${text}`,
        parts: [`${text} again`],
      });
      await send({ tenantId, userId: member, conversationKey: `key of ${text}` });
      expect(await opened().dump()).toContain(text);
      expect(await erase(ofUser(tenantId, member))).toMatchObject({
        isFinished: true,
        removed: { conversations: 2, runs: 3, messages: 3, client_message_ids: 3, members: 1, invitations: 1 },
      });
      const left = await opened().dump();
      expect(left).not.toContain(text);
      expect(left).not.toContain(emailOf(member));
      expect(await threads(tenantId)).toBe(0);
    });

    test("a user's recent requests are removed, and those of others stay", async () => {
      const [tenantId, elsewhere] = [newId("ten"), newId("ten")];
      const [own, others, other] = [
        newRequest({ tenantId, userId: "jo" }),
        newRequest({ tenantId, userId: "jo2" }),
        newRequest({ tenantId: elsewhere, userId: "jo" }),
      ];
      await opened().requests.addRequests(randomUUID(), [own, others, other]);
      expect((await erase(ofUser(tenantId, "jo"))).removed).toEqual({ requests: 1 });
      expect(await opened().requests.findRequest(null, own.requestId)).toBeUndefined();
      for (const kept of [others, other])
        expect(await opened().requests.findRequest(null, kept.requestId)).toEqual(kept);
    });

    test("tokens that act for a user are removed, and those of others and of the keys themselves stay", async () => {
      const [tenantId, elsewhere] = [newId("ten"), newId("ten")];
      const { tokens } = opened();
      const own = Array.from({ length: 101 }, () => newAccessToken({ tenantId, userId: "jo" }));
      const kept = [
        newAccessToken({ tenantId }),
        newAccessToken({ tenantId, userId: "jo2" }),
        newAccessToken({ tenantId: elsewhere, userId: "jo" }),
      ];
      for (const token of [...own, ...kept]) await tokens.addToken(token, ACT);
      expect((await erase(ofUser(tenantId, "jo"))).removed).toEqual({ access_tokens: 101 });
      for (const { tokenId } of own) expect(await tokens.findToken(tokenId)).toBeUndefined();
      for (const { tokenId } of kept) expect(await tokens.findToken(tokenId)).toMatchObject({ tokenId });
    });

    test("others' records stay: of the tenant, of other users, and of the same user in another tenant", async () => {
      const { org, owner, member } = await foundOrg();
      const elsewhere = await foundOrg(undefined, undefined, member);
      const { tenantId } = org;
      await send({ tenantId, userId: member });
      const kept = [
        await send({ tenantId, userId: null }),
        await send({ tenantId, userId: owner }),
        await send({ tenantId, userId: `${member}x` }),
        await send({ tenantId: elsewhere.org.tenantId, userId: member }),
      ];
      await erase(ofUser(tenantId, member));
      expect(await threads(tenantId)).toBe(3);
      expect(await threads(elsewhere.org.tenantId)).toBe(1);
      for (const message of kept)
        expect(await opened().conversations.appendMessage(message)).toMatchObject({ runId: message.runId });
      expect((await memberships(owner)).map(({ isRemoved }) => isRemoved)).toEqual([false]);
      const ofMember = (await memberships(member)).map(({ tenantId: of, isRemoved }) => ({ of, isRemoved }));
      expect(ofMember).toHaveLength(2);
      expect(ofMember).toContainEqual({ of: tenantId, isRemoved: true });
      expect(ofMember).toContainEqual({ of: elsewhere.org.tenantId, isRemoved: false });
      expect(
        (await opened().orgs.listMembers(elsewhere.org.tenantId, { page: 1, perPage: 10 })).items[1]?.email,
      ).toContain(member);
    });

    test("an issuer narrows the memberships, and users of another one stay members", async () => {
      const { org, member } = await foundOrg();
      await erase(ofUser(org.tenantId, member, "https://another.example"));
      expect((await memberships(member)).map(({ isRemoved }) => isRemoved)).toEqual([false]);
      await erase(ofUser(org.tenantId, member, ISSUER));
      expect((await memberships(member)).map(({ isRemoved }) => isRemoved)).toEqual([true]);
    });

    test("the last owner is refused, and everything stays; with a second owner the first can be erased", async () => {
      const { org, owner, member, emailOf } = await foundOrg();
      const { tenantId } = org;
      await send({ tenantId, userId: owner });
      await expect(opened().erasures.begin(ofUser(tenantId, owner), ERASED)).rejects.toMatchObject({
        kind: "failed_precondition",
        message: expect.stringContaining("last owner cannot be erased"),
      });
      expect(await threads(tenantId)).toBe(1);
      expect((await opened().orgs.listMembers(tenantId, { page: 1, perPage: 10 })).items[0]?.email).toBe(
        emailOf(owner),
      );
      await opened().orgs.changeMember(
        tenantId,
        { issuer: ISSUER, userId: member },
        () => ({ kind: "role", role: "owner" }),
        ACT,
      );
      expect((await erase(ofUser(tenantId, owner))).removed).toMatchObject({
        members: 1,
        client_org_ids: 1,
        conversations: 1,
      });
    });

    test("of two owners erased at once, one stays", async () => {
      const { org, owner, member } = await foundOrg();
      await opened().orgs.changeMember(
        org.tenantId,
        { issuer: ISSUER, userId: member },
        () => ({ kind: "role", role: "owner" }),
        ACT,
      );
      const begun = await Promise.allSettled(
        [owner, member].map((user) => opened().erasures.begin(ofUser(org.tenantId, user), ERASED)),
      );
      expect(begun.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    });

    test("keys forget that the user created or revoked them, and nothing else", async () => {
      const tenantId = newId("ten");
      const userId = `user-${randomUUID()}`;
      const by: Act = { ...ACT, actor: { ...ACTOR, userId } };
      const own = newKey({ tenantId });
      const others = newKey({ tenantId });
      await opened().keys.insertKey(own, by);
      await opened().keys.insertKey(others, ACT);
      const revokedAt = new Date();
      await opened().keys.updateKeyUnderLock(tenantId, others.record.keyId, () => ({ patch: { revokedAt } }), by);
      expect((await erase(ofUser(tenantId, userId))).removed).toEqual({ key_actors: 2 });
      expect(await opened().keys.findKey(tenantId, own.record.keyId)).toMatchObject({ ...own.record, createdBy: null });
      expect(await opened().keys.findKey(tenantId, others.record.keyId)).toMatchObject({
        ...others.record,
        revokedAt,
        createdBy: ACTOR,
        revokedBy: null,
      });
    });

    test("a run under way is removed, and its worker finds its lease lost, whatever it does next", async () => {
      const message = await send({ userId: "user-of-run" });
      const queue = opened().queue;
      const lease = () => ({ token: newId("req"), leaseMs: 60_000 });
      const reads = { messages: 10, bytes: 10_000 };
      let run = await queue.claimRun(lease(), reads);
      while (run !== undefined && run.runId !== message.runId) run = await queue.claimRun(lease(), reads);
      const { runId = "", leaseToken = "" } = run ?? {};
      expect(runId).toBe(message.runId);
      await erase(ofUser(message.tenantId, "user-of-run"));
      expect(
        await queue.completeRun(runId, leaseToken, {
          messageId: newId("msg"),
          parts: ["late"],
          usage: null,
          finishReason: null,
        }),
      ).toBe(false);
      expect(await queue.extendLease(runId, leaseToken, 1_000)).toBe(false);
      expect(await queue.releaseRun(runId, leaseToken, { because: "failure", pauseMs: 0 })).toBe(false);
      expect(await queue.failRun(runId, leaseToken, "late")).toBe(false);
    });

    test("a sender's id is free again, and the conversation begins anew", async () => {
      const message = await send({ userId: "user-again" });
      await erase(ofUser(message.tenantId, "user-again"));
      const again = {
        ...message,
        threadId: newId("thr"),
        messageId: newId("msg"),
        runId: newId("run"),
        parts: ["anew"],
      };
      expect(await opened().conversations.appendMessage(again)).toBeUndefined();
      expect(await threads(message.tenantId)).toBe(1);
    });

    test("messages with one sender's id that are sent while a user is erased are each stored or repeated, and none fails", async () => {
      const message = newMessage({ userId: "user-racing", clientMessageId: "same" });
      const { tenantId } = message;
      const sends = Array.from({ length: 60 }, async () => {
        const fresh = { threadId: newId("thr"), messageId: newId("msg"), runId: newId("run") };
        return opened().conversations.appendMessage({ ...message, ...fresh });
      });
      const erasing = Array.from({ length: 6 }, () => erase(ofUser(tenantId, "user-racing")));
      await Promise.all([...sends, ...erasing]);
      await erase(ofUser(tenantId, "user-racing"));
      expect(await threads(tenantId)).toBe(0);
      expect(await opened().dump()).not.toContain("user-racing,same");
    });
  });
}
