// promise: conversations.retention
import { describe, expect, test } from "vitest";
import type { NewMessage } from "../../src/domain/conversations/conversation.ts";
import type { ConversationRetention } from "../../src/domain/conversations/conversation-store.ts";
import { removeOldConversations } from "../../src/domain/conversations/retention.ts";
import type { Clock } from "../../src/domain/vocabulary/clock.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { LEASE_MS, type OpenConversations, openedConversations } from "./conversations.ts";
import { later, newMessage } from "./records.ts";

type Open = (
  clock: Clock,
) => Promise<Awaited<ReturnType<OpenConversations>> & { readonly retention: ConversationRetention }>;

const DAY_MS = 86_400_000;
/** Runs of one piece in the databases of this suite. */
export const RETENTION_PIECE = 10;

/** What every ConversationRetention promises. The suite needs its own database, because a claim takes the oldest run of all. */
export function conversationRetentionSuite(name: string, open: Open): void {
  describe(`retention in ${name}`, () => {
    let retention: ConversationRetention;
    const { conversations, queue, scopeOf, next, texts, complete, doAt } = openedConversations(async (clock) => {
      const opened = await open(clock);
      ({ retention } = opened);
      return opened;
    });
    const day = (days: number) => later(days * DAY_MS);

    const send = (message: NewMessage, at: Date) => doAt(at, () => conversations().appendMessage(message));

    /** Sends a message, and completes its run. */
    async function exchange(message: NewMessage, at: Date): Promise<void> {
      await send(message, at);
      const lease = { token: newId("req"), leaseMs: LEASE_MS };
      const run = await doAt(at, () => queue().claimRun(lease, { messages: 10, bytes: 10_000 }));
      expect(run?.runId).toBe(message.runId);
      if (run !== undefined) await doAt(at, () => complete(run, "reply"));
    }

    /** As it is on that day of the test, with so many days. */
    async function remove(days: number, at: Date): Promise<number> {
      let pieces = 0;
      for (; await removeOldConversations(retention, days, at); pieces++);
      return pieces;
    }

    const thread = async (message: NewMessage) =>
      (await conversations().listThreads(scopeOf(message), { page: 1, perPage: 10 })).items[0];

    test("no message older than the days stays, younger ones do, and the number of messages is true", async () => {
      const message = newMessage({ parts: ["old"] });
      await exchange(message, day(0));
      await exchange(next(message, "young"), day(2));
      expect(await thread(message)).toMatchObject({ messageCount: 4, updatedAt: day(2) });
      await remove(3, day(3));
      expect(await texts(message)).toHaveLength(4);
      await remove(3, new Date(day(3).getTime() + 1));
      expect(await texts(message)).toEqual(["user: young", "assistant: reply"]);
      expect(await thread(message)).toMatchObject({ messageCount: 2, createdAt: day(0), updatedAt: day(2) });
      await remove(3, day(6));
      expect(await thread(message)).toBeUndefined();
    });

    test("a conversation without messages is gone, and its key and its senders' ids are free again", async () => {
      const message = newMessage({ clientMessageId: "first" });
      await exchange(message, day(0));
      await remove(1, day(2));
      expect(await conversations().findThread(scopeOf(message), { ...message, threadId: null })).toBeUndefined();
      const again = newMessage({ ...message, threadId: newId("thr"), messageId: newId("msg"), runId: newId("run") });
      await exchange(again, day(2));
      expect(await thread(message)).toMatchObject({ threadId: again.threadId, messageCount: 2 });
      await remove(1, day(4));
    });

    test("an unfinished run is never removed, and neither is its conversation; a failed one is", async () => {
      const message = newMessage({ parts: ["failed"] });
      await send(message, day(0));
      const claim = () =>
        doAt(day(0), () => queue().claimRun({ token: newId("req"), leaseMs: LEASE_MS }, { messages: 1, bytes: 1 }));
      const failed = await claim();
      expect(failed?.runId).toBe(message.runId);
      await queue().failRun(failed?.runId ?? "", failed?.leaseToken ?? "", "the model is down");
      const running = next(message, "running");
      await send(running, day(0));
      const run = await claim();
      await send(next(message, "queued"), day(0));
      await remove(1, day(100));
      expect(await texts(message)).toEqual(["user: running", "user: queued"]);
      expect(await thread(message)).toMatchObject({ messageCount: 2 });
      if (run !== undefined) expect(await doAt(day(0), () => complete(run, "reply"))).toBe(true);
      expect(await thread(message)).toMatchObject({ messageCount: 3 });
      const last = await claim();
      if (last !== undefined) await doAt(day(0), () => complete(last, "reply"));
      await remove(1, day(100));
      expect(await thread(message)).toBeUndefined();
    });

    test("many messages go in several pieces, and other tenants' young ones stay", async () => {
      const young = newMessage();
      await exchange(young, day(50));
      const message = newMessage();
      const others = Array.from({ length: 24 }, (_, n) =>
        newMessage({ ...ids(), tenantId: message.tenantId, conversationKey: `c${n}` }),
      );
      for (const each of [message, ...others]) await exchange(each, day(0));
      expect(await remove(10, day(20))).toBe(3);
      expect(await thread(message)).toBeUndefined();
      expect(await texts(young)).toHaveLength(2);
      await remove(1, day(100));
    });

    test("messages that are sent meanwhile are kept and counted", async () => {
      const message = newMessage();
      await exchange(message, day(0));
      const sent = Array.from({ length: 20 }, (_, n) => next(message, `new ${n}`));
      const removing = Array.from({ length: 5 }, () => retention.removeBefore(day(1)));
      const sending = sent.map((each) => send({ ...each, threadId: newId("thr") }, day(3)));
      await Promise.all([...removing, ...sending]);
      await remove(1, day(3));
      expect((await texts(message)).toSorted()).toEqual(sent.map(({ parts }) => `user: ${parts.join()}`).toSorted());
      expect(await thread(message)).toMatchObject({ messageCount: 20 });
    });
  });
}

function ids() {
  return { threadId: newId("thr"), messageId: newId("msg"), runId: newId("run") };
}
