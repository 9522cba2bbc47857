// promise: conversations.owner, conversations.stored, conversations.bounds
import { randomInt } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { type OpenConversations, openedConversations } from "./conversations.ts";
import { later, NOW, newMessage } from "./records.ts";

/** What every ConversationStore promises. */
export function conversationStoreSuite(name: string, open: OpenConversations): void {
  describe(`conversations in ${name}`, () => {
    const { conversations, scopeOf, next, stateOf, texts, answer, doAt } = openedConversations(open);

    test("a message is stored with its run, and both are read back", async () => {
      const message = newMessage({
        userId: "\ufeffanna",
        conversationKey: "\ufeffsupport",
        parts: ['quotes " { } \\', "", "\ufeff😀\nline"],
      });
      await conversations().appendMessage(message);
      const { items } = await conversations().listThreads(scopeOf(message), { page: 1, perPage: 1 });
      expect(items).toMatchObject([{ userId: "\ufeffanna", conversationKey: "\ufeffsupport" }]);
      expect(await stateOf(message)).toEqual({
        conversationKey: message.conversationKey,
        messages: [
          {
            messageId: message.messageId,
            runId: message.runId,
            role: "user",
            parts: message.parts,
            createdAt: NOW,
          },
        ],
        hasEarlierMessages: false,
        latestRun: { runId: message.runId, status: "queued", error: "", usage: null, finishReason: null },
      });
    });

    test("names that together are too long for an index are rejected, with the one to shorten", async () => {
      // Random, so that PostgreSQL cannot compress them; four bytes each.
      const name = () => String.fromCodePoint(...Array.from({ length: 256 }, () => randomInt(0x20000, 0x2a6df)));
      const message = newMessage({ tenantId: name(), userId: name(), conversationKey: name() });
      await expect(conversations().appendMessage(message)).rejects.toThrow(/^conversation_key: .*2,700 bytes/);
      await conversations().appendMessage({ ...message, conversationKey: "x".repeat(256) });
    });

    test("an unknown conversation is absent, and so is another tenant's or another user's", async () => {
      const message = newMessage({ userId: "anna" });
      await conversations().appendMessage(message);
      const { tenantId, conversationKey } = message;
      const find = (userId: string | null, key = conversationKey, tenant = tenantId) =>
        conversations().findThread(scopeOf({ tenantId: tenant, userId }), { conversationKey: key, threadId: null });
      expect(await find("anna", "other")).toBeUndefined();
      expect(await find("")).toBeUndefined();
      expect(await find("bob")).toBeUndefined();
      expect(await find(null, conversationKey, newId("ten"))).toBeUndefined();
      expect(await find(null)).toBeDefined();
    });

    test("a tenant finds the conversation without a user first, then the one written to last", async () => {
      const tenantId = newId("ten");
      const write = async (userId: string | null, ms: number) => {
        const message = newMessage({ tenantId, userId });
        await doAt(later(ms), () => conversations().appendMessage(message));
        return message;
      };
      const found = async (threadId: string | null = null) =>
        (await conversations().findThread({ kind: "tenant", tenantId }, { conversationKey: "support", threadId }))
          ?.threadId;
      const anna = await write("anna", 1);
      const bob = await write("bob", 2);
      expect(await found()).toBe(bob.threadId);
      const withoutUser = await write(null, 0);
      expect(await found()).toBe(withoutUser.threadId);
      expect(await found(anna.threadId)).toBe(anna.threadId);
      expect(await found(newId("thr"))).toBeUndefined();
    });

    test("a list is latest first, counts messages and shows only its scope", async () => {
      const first = newMessage({ userId: "anna", conversationKey: "one" });
      const second = newMessage({ tenantId: first.tenantId, userId: "anna", conversationKey: "two" });
      const bobs = newMessage({ tenantId: first.tenantId, userId: "bob" });
      for (const [ms, message] of [first, second, bobs, next(first, "again")].entries())
        await doAt(later(ms), () => conversations().appendMessage(message));
      const page = { page: 1, perPage: 20 };
      const annas = await conversations().listThreads(scopeOf(first), page);
      expect(annas.total).toBe(2);
      expect(annas.items[0]).toEqual({
        threadId: first.threadId,
        conversationKey: "one",
        userId: "anna",
        messageCount: 2,
        createdAt: NOW,
        updatedAt: later(3),
      });
      const all = await conversations().listThreads({ kind: "tenant", tenantId: first.tenantId }, page);
      expect(all.items.map(({ threadId }) => threadId)).toEqual([first.threadId, bobs.threadId, second.threadId]);
      const past = await conversations().listThreads(scopeOf(first), { page: 2_147_483_647, perPage: 100 });
      expect(past).toEqual({ items: [], total: 2 });
    });

    test("the total of a list agrees with its conversations, also while some are begun", async () => {
      const { tenantId } = newMessage();
      const scope = { kind: "tenant", tenantId } as const;
      const lists = Array.from({ length: 40 }, async (_, n) => {
        const [, list] = await Promise.all([
          conversations().appendMessage(newMessage({ tenantId, conversationKey: String(n) })),
          conversations().listThreads(scope, { page: 1, perPage: 100 }),
        ]);
        return list;
      });
      for (const { items, total } of await Promise.all(lists)) expect(items).toHaveLength(total);
    });

    test("fifty messages sent at once make one conversation with fifty messages", async () => {
      const first = newMessage();
      // Each would create the conversation, because none of them sees another.
      const messages = Array.from({ length: 50 }, (_, n) => ({ ...next(first, String(n)), threadId: newId("thr") }));
      await Promise.all(messages.map((message) => conversations().appendMessage(message)));
      const { items } = await conversations().listThreads(scopeOf(first), { page: 1, perPage: 20 });
      expect(items.map(({ messageCount }) => messageCount)).toEqual([50]);
      expect(new Set(await texts(first)).size).toBe(50);
    });

    test("a conversation is unfinished until its last run has ended", async () => {
      const [message, idle] = [newMessage(), newMessage()];
      const scope = scopeOf(message);
      const find = () => conversations().findThread(scope, { conversationKey: "support", threadId: null });
      await conversations().appendMessage(idle);
      await answer(idle);
      for (const each of [message, next(message, "again")]) await conversations().appendMessage(each);
      const threadIds = [message.threadId, idle.threadId, newId("thr")];
      expect(await find()).toEqual({ threadId: message.threadId, unfinished: true });
      expect(await conversations().findUnfinished(threadIds)).toEqual(new Set([message.threadId]));
      await answer(message);
      await answer(message);
      expect(await find()).toEqual({ threadId: message.threadId, unfinished: false });
      expect(await conversations().findUnfinished(threadIds)).toEqual(new Set());
      expect(await conversations().findUnfinished([])).toEqual(new Set());
    });

    test("a long conversation is read in pages, backwards, each message once", async () => {
      const first = newMessage({ parts: ["0"] });
      await conversations().appendMessage(first);
      await answer(first);
      for (let n = 1; n < 5; n++) {
        await conversations().appendMessage(next(first, String(n)));
        if (n < 4) await answer(first);
      }
      const all = await stateOf(first);
      expect(all.messages).toHaveLength(9);
      for (const messages of [1, 2, 4, 9]) {
        const read = [];
        let page = await stateOf(first, { messages });
        for (;;) {
          expect(page.messages.length).toBeLessThanOrEqual(messages);
          read.unshift(...page.messages);
          if (!page.hasEarlierMessages) break;
          page = await stateOf(first, { messages, beforeMessageId: page.messages[0]?.messageId ?? "" });
        }
        expect(read).toEqual(all.messages);
      }
    });

    test("a page is bounded in bytes, but has at least one message", async () => {
      const first = newMessage({ parts: ["a".repeat(96)] });
      await conversations().appendMessage(first);
      for (const text of ["b", "c"]) await conversations().appendMessage(next(first, text.repeat(96)));
      const sizes = async (bytes: number) => {
        const { messages, hasEarlierMessages } = await stateOf(first, { bytes });
        return [messages.length, hasEarlierMessages];
      };
      expect(await sizes(300)).toEqual([3, false]);
      expect(await sizes(299)).toEqual([2, true]);
      expect(await sizes(1)).toEqual([1, true]);
    });

    test("there is no page before another conversation's message", async () => {
      const [mine, other] = [newMessage(), newMessage()];
      for (const message of [mine, other]) await conversations().appendMessage(message);
      const { tenantId, threadId } = mine;
      const pageBefore = (beforeMessageId: string) =>
        conversations().readThread(tenantId, threadId, { messages: 9, bytes: 999, beforeMessageId });
      expect(await pageBefore(other.messageId)).toBeUndefined();
      expect(await pageBefore("msg_unknown")).toBeUndefined();
      expect((await pageBefore(mine.messageId))?.messages).toEqual([]);
    });

    test("a message is stored once for each id of its sender, however often and concurrently it is sent", async () => {
      const tries = Array.from({ length: 20 }, () =>
        newMessage({ tenantId: "ten_retries", userId: "anna", clientMessageId: "c-1" }),
      );
      const outcomes = await Promise.all(tries.map((message) => conversations().appendMessage(message)));
      const stored = tries.filter((_, n) => outcomes[n] === undefined);
      expect(stored).toHaveLength(1);
      const { runId, messageId, conversationKey, parts } = stored[0] ?? newMessage();
      for (const outcome of outcomes.filter((each) => each !== undefined)) {
        expect(outcome).toEqual({ runId, messageId, conversationKey, parts });
      }
      const { items } = await conversations().listThreads(
        { kind: "user", tenantId: "ten_retries", userId: "anna" },
        { page: 1, perPage: 9 },
      );
      expect(items.map(({ messageCount }) => messageCount)).toEqual([1]);
    });

    test("a sender's message id is unique for each tenant and user, across all their conversations", async () => {
      const mine = newMessage({ userId: "anna", clientMessageId: "c-1" });
      const append = (fields: Partial<typeof mine>) =>
        conversations().appendMessage(
          newMessage({ tenantId: mine.tenantId, userId: "anna", clientMessageId: "c-1", ...fields }),
        );
      expect(await conversations().appendMessage(mine)).toBeUndefined();
      expect(await append({ tenantId: newId("ten") })).toBeUndefined();
      const bobs = newMessage({ tenantId: mine.tenantId, userId: "bob", clientMessageId: "c-1" });
      expect(await append(bobs)).toBeUndefined();
      expect(await append({ userId: "bob" })).toMatchObject({ runId: bobs.runId });
      expect(await append({ clientMessageId: "c-2" })).toBeUndefined();
      expect(await append({ clientMessageId: null })).toBeUndefined();
      expect(await append({ conversationKey: "other" })).toMatchObject({
        runId: mine.runId,
        conversationKey: "support",
      });
    });
  });
}
