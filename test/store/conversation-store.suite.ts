import { beforeAll, describe, expect, test } from "vitest";
import type { ClaimedRun, NewMessage } from "../../src/domain/conversations/conversation.ts";
import { newId } from "../../src/domain/ids.ts";
import type { ConversationStore } from "../../src/domain/ports.ts";
import { later, NOW, newMessage } from "./records.ts";

const LEASE_MS = 30_000;

/** What every ConversationStore promises. The store must be the suite's own: a claim takes the oldest run of all. */
export function conversationStoreSuite(name: string, open: () => Promise<ConversationStore>): void {
  describe(`conversations in ${name}`, () => {
    let store: ConversationStore;
    beforeAll(async () => {
      store = await open();
    });

    const claim = (now: Date = NOW) =>
      store.claimRun({ token: newId("req"), now, until: new Date(now.getTime() + LEASE_MS) });

    /** Claims until nothing is due. Runs of other tests are among them, since the queue is one for all tenants. */
    const claimAll = async (now: Date = NOW): Promise<ClaimedRun[]> => {
      const runs: ClaimedRun[] = [];
      for (let run = await claim(now); run !== undefined; run = await claim(now)) runs.push(run);
      return runs;
    };

    const claimOf = async (message: NewMessage, now: Date = NOW): Promise<ClaimedRun> => {
      const run = (await claimAll(now)).find(({ runId }) => runId === message.runId);
      if (run === undefined) throw new Error("the run was not due");
      return run;
    };

    const complete = (run: ClaimedRun, text: string, createdAt: Date = later(1_000)) =>
      store.completeRun(run.runId, run.leaseToken, { messageId: newId("msg"), parts: [text], createdAt });

    const scopeOf = ({ tenantId, userId }: NewMessage) => ({ tenantId, userId });
    const next = (message: NewMessage, text: string, at = NOW) =>
      newMessage({ ...scopeOf(message), conversationKey: message.conversationKey, parts: [text], createdAt: at });

    const texts = async (message: NewMessage) => {
      const state = await store.findConversation(scopeOf(message), message.conversationKey);
      return state?.messages.map(({ role, parts }) => `${role}: ${parts.join()}`);
    };

    test("a message is stored with its run, and both are read back", async () => {
      const message = newMessage({ parts: ['quotes " { } \\', "", "😀\nline"] });
      await store.appendMessage(message);
      expect(await store.findConversation(scopeOf(message), message.conversationKey)).toEqual({
        conversationKey: message.conversationKey,
        messages: [
          {
            messageId: message.messageId,
            runId: message.runId,
            role: "user",
            parts: message.parts,
            createdAt: message.createdAt,
          },
        ],
        latestRun: { runId: message.runId, status: "queued", error: "" },
      });
    });

    test("an unknown conversation is absent, and so is another tenant's or another user's", async () => {
      const message = newMessage({ userId: "anna" });
      await store.appendMessage(message);
      const { tenantId, conversationKey } = message;
      expect(await store.findConversation({ tenantId, userId: "anna" }, "other")).toBeUndefined();
      expect(await store.findConversation({ tenantId, userId: "" }, conversationKey)).toBeUndefined();
      expect(await store.findConversation({ tenantId, userId: "bob" }, conversationKey)).toBeUndefined();
      expect(await store.findConversation({ tenantId: newId("ten"), userId: null }, conversationKey)).toBeUndefined();
      expect(await store.findConversation({ tenantId, userId: null }, conversationKey)).toBeDefined();
    });

    test("a tenant finds nobody's conversation of a key first, then the one written to last", async () => {
      const tenantId = newId("ten");
      const write = async (userId: string, ms: number) => {
        const message = newMessage({ tenantId, userId, createdAt: later(ms) });
        await store.appendMessage(message);
        return message;
      };
      const found = async () => (await store.findConversation({ tenantId, userId: null }, "support"))?.latestRun.runId;
      await write("anna", 1);
      const bob = await write("bob", 2);
      expect(await found()).toBe(bob.runId);
      const nobody = await write("", 0);
      expect(await found()).toBe(nobody.runId);
    });

    test("a list is latest first, counts messages and keeps to its scope", async () => {
      const first = newMessage({ userId: "anna", conversationKey: "one" });
      const second = newMessage({ ...scopeOf(first), conversationKey: "two", createdAt: later(1) });
      const bobs = newMessage({ tenantId: first.tenantId, userId: "bob", createdAt: later(2) });
      for (const message of [first, second, bobs, next(first, "again", later(3))]) await store.appendMessage(message);
      const page = { page: 1, perPage: 20 };
      const annas = await store.listThreads(scopeOf(first), page);
      expect(annas.total).toBe(2);
      expect(annas.items[0]).toEqual({
        threadId: first.threadId,
        conversationKey: "one",
        userId: "anna",
        messageCount: 2,
        createdAt: NOW,
        updatedAt: later(3),
      });
      const all = await store.listThreads({ tenantId: first.tenantId, userId: null }, page);
      expect(all.items.map(({ threadId }) => threadId)).toEqual([first.threadId, bobs.threadId, second.threadId]);
      const past = await store.listThreads(scopeOf(first), { page: 2_147_483_647, perPage: 100 });
      expect(past).toEqual({ items: [], total: 2 });
    });

    test("fifty messages sent at once make one conversation with fifty messages", async () => {
      const first = newMessage();
      const messages = Array.from({ length: 50 }, (_, n) => next(first, String(n)));
      await Promise.all(messages.map((message) => store.appendMessage(message)));
      const { items } = await store.listThreads(scopeOf(first), { page: 1, perPage: 20 });
      expect(items.map(({ messageCount }) => messageCount)).toEqual([50]);
      expect(new Set(await texts(first)).size).toBe(50);
    });

    test("a claimed run is not given twice, however many workers ask", async () => {
      const messages = Array.from({ length: 30 }, () => newMessage());
      for (const message of messages) await store.appendMessage(message);
      const taken: string[] = [];
      const worker = async () => {
        for (let run = await claim(); run !== undefined; run = await claim()) taken.push(run.runId);
      };
      await Promise.all(Array.from({ length: 8 }, worker));
      expect(new Set(taken).size).toBe(taken.length);
      expect(messages.every(({ runId }) => taken.includes(runId))).toBe(true);
    });

    test("the oldest run comes first", async () => {
      const messages = Array.from({ length: 3 }, () => newMessage());
      for (const message of messages) await store.appendMessage(message);
      const ours = messages.map(({ runId }) => runId);
      const taken = (await claimAll()).map(({ runId }) => runId);
      expect(taken.filter((runId) => ours.includes(runId))).toEqual(ours);
    });

    test("runs of one conversation go in order, also when many workers ask at once", async () => {
      const first = newMessage();
      const messages = [first, ...Array.from({ length: 9 }, (_, n) => next(first, String(n)))];
      for (const message of messages) await store.appendMessage(message);
      const done: string[] = [];
      const ours = new Set(messages.map(({ runId }) => runId));
      let working = 0;
      const worker = async () => {
        while (done.length < messages.length) {
          const run = await claim();
          if (run === undefined || !ours.has(run.runId)) continue;
          working += 1;
          await store.extendLease(run.runId, run.leaseToken, later(LEASE_MS));
          expect(working).toBe(1);
          done.push(run.runId);
          working -= 1;
          await complete(run, "reply");
        }
      };
      await Promise.all(Array.from({ length: 4 }, worker));
      expect(done).toEqual(messages.map(({ runId }) => runId));
    });

    test("a run that is not due stays in the queue, and holds back the runs behind it", async () => {
      const message = newMessage();
      await store.appendMessage(message);
      const run = await claimOf(message);
      expect(await store.releaseRun(run.runId, run.leaseToken, later(5_000))).toBe(true);
      const second = next(message, "second");
      await store.appendMessage(second);
      const taken = async (now: Date) =>
        (await claimAll(now)).filter(({ runId }) => [message.runId, second.runId].includes(runId));
      expect(await taken(later(4_999))).toEqual([]);
      expect(await taken(later(5_000))).toMatchObject([{ runId: run.runId, attempt: 2 }]);
    });

    test("a run whose lease ran out is taken again, and its former holder can do nothing to it", async () => {
      const message = newMessage();
      await store.appendMessage(message);
      const lost = await claimOf(message);
      expect((await claimAll(later(LEASE_MS))).map(({ runId }) => runId)).not.toContain(message.runId);
      const held = await claimOf(message, later(LEASE_MS + 1));
      expect([lost.attempt, held.attempt]).toEqual([1, 2]);
      expect(await complete(lost, "too late")).toBe(false);
      expect(await store.extendLease(lost.runId, lost.leaseToken, later(90_000))).toBe(false);
      expect(await store.releaseRun(lost.runId, lost.leaseToken, NOW)).toBe(false);
      expect(await store.failRun(lost.runId, lost.leaseToken, { error: "no", at: NOW })).toBe(false);
      expect(await complete(held, "in time")).toBe(true);
      expect(await texts(message)).toEqual(["user: hello", "assistant: in time"]);
    });

    test("an extended lease keeps the run", async () => {
      const message = newMessage();
      await store.appendMessage(message);
      const run = await claimOf(message);
      expect(await store.extendLease(run.runId, run.leaseToken, later(10 * LEASE_MS))).toBe(true);
      expect((await claimAll(later(9 * LEASE_MS))).map(({ runId }) => runId)).not.toContain(message.runId);
      expect(await complete(run, "reply")).toBe(true);
    });

    test("of many completions at once exactly one stores its reply", async () => {
      const message = newMessage();
      await store.appendMessage(message);
      const run = await claimOf(message);
      const outcomes = await Promise.all(Array.from({ length: 10 }, (_, n) => complete(run, String(n))));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await texts(message)).toHaveLength(2);
      const { items } = await store.listThreads(scopeOf(message), { page: 1, perPage: 20 });
      expect(items[0]).toMatchObject({ messageCount: 2, updatedAt: later(1_000) });
    });

    test("a completed run stays completed, whatever is tried under its old lease", async () => {
      const message = newMessage();
      await store.appendMessage(message);
      const run = await claimOf(message);
      await complete(run, "reply");
      expect(await store.failRun(run.runId, run.leaseToken, { error: "no", at: NOW })).toBe(false);
      expect(await store.releaseRun(run.runId, run.leaseToken, NOW)).toBe(false);
      const state = await store.findConversation(scopeOf(message), message.conversationKey);
      expect(state?.latestRun).toEqual({ runId: run.runId, status: "completed", error: "" });
    });

    test("a failed run says why, is not taken again and lets the next one go", async () => {
      const message = newMessage();
      const second = next(message, "second");
      await store.appendMessage(message);
      const run = await claimOf(message);
      expect(await store.failRun(run.runId, run.leaseToken, { error: "the model is down", at: later(5) })).toBe(true);
      const state = await store.findConversation(scopeOf(message), message.conversationKey);
      expect(state?.latestRun).toEqual({ runId: run.runId, status: "failed", error: "the model is down" });
      await store.appendMessage(second);
      expect((await claimAll(later(LEASE_MS * 2))).map(({ runId }) => runId)).toContain(second.runId);
    });

    test("a reply stands behind its question, even if the next question came before it", async () => {
      const message = newMessage({ parts: ["one"] });
      const second = next(message, "two");
      await store.appendMessage(message);
      const run = await claimOf(message);
      await store.appendMessage(second);
      expect(run.history).toEqual([{ role: "user", parts: ["one"] }]);
      await complete(run, "uno");
      expect(await texts(message)).toEqual(["user: one", "assistant: uno", "user: two"]);
      const history = (await claimOf(second)).history;
      expect(history.map(({ role, parts }) => `${role}: ${parts.join()}`)).toEqual([
        "user: one",
        "assistant: uno",
        "user: two",
      ]);
    });

    test("the history of a run has no message of a later one", async () => {
      const message = newMessage({ parts: ["one"] });
      await store.appendMessage(message);
      await store.appendMessage(next(message, "two"));
      expect((await claimOf(message)).history).toEqual([{ role: "user", parts: ["one"] }]);
    });
  });
}
