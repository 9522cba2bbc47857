// promise: conversations.one-reply, conversations.deadline, conversations.history
import { describe, expect, test } from "vitest";
import type { ClaimedRun, RunRelease } from "../../src/domain/conversations/conversation.ts";
import { LEASE_MS, type OpenConversations, openedConversations } from "./conversations.ts";
import { later, NOW, newMessage } from "./records.ts";

const FAILURE = { because: "failure", pauseMs: 0 } as const;
const HANDOVER = { because: "handover", pauseMs: 0 } as const;

/** What every RunQueue promises. The suite needs its own database, because a claim takes the oldest run of all. */
export function runQueueSuite(name: string, open: OpenConversations): void {
  describe(`the queue of runs in ${name}`, () => {
    const opened = openedConversations(open);
    const { conversations, queue, scopeOf, next, stateOf, texts, claim, claimAll, claimOf, complete, doAt } = opened;

    test("a run is claimed once, however many workers claim at once", async () => {
      const messages = Array.from({ length: 30 }, () => newMessage());
      for (const message of messages) await conversations().appendMessage(message);
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
      for (const message of messages) await conversations().appendMessage(message);
      const ours = messages.map(({ runId }) => runId);
      const taken = (await claimAll()).map(({ runId }) => runId);
      expect(taken.filter((runId) => ours.includes(runId))).toEqual(ours);
    });

    test("runs of one conversation are claimed in order, also by many workers at once", async () => {
      const first = newMessage();
      const messages = [first, ...Array.from({ length: 9 }, (_, n) => next(first, String(n)))];
      for (const message of messages) await conversations().appendMessage(message);
      const done: string[] = [];
      const ours = new Set(messages.map(({ runId }) => runId));
      let working = 0;
      const worker = async () => {
        while (done.length < messages.length) {
          const run = await claim();
          if (run === undefined || !ours.has(run.runId)) continue;
          working += 1;
          await queue().extendLease(run.runId, run.leaseToken, LEASE_MS);
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
      await conversations().appendMessage(message);
      const run = await claimOf(message);
      expect(await queue().releaseRun(run.runId, run.leaseToken, { ...FAILURE, pauseMs: 5_000 })).toBe(true);
      const second = next(message, "second");
      await conversations().appendMessage(second);
      const taken = async (now: Date) =>
        (await claimAll(now)).filter(({ runId }) => [message.runId, second.runId].includes(runId));
      expect(await taken(later(4_999))).toEqual([]);
      expect(await taken(later(5_000))).toMatchObject([{ runId: run.runId, failures: 1, interruptions: 0 }]);
    });

    test("unfinished runs are counted by state, with the age of the oldest", async () => {
      await claimAll();
      const before = await queue().countUnfinished();
      const countOf = (state: string, runs: typeof before) => runs.find((each) => each.state === state)?.count ?? 0;
      const [working, failed, first] = [newMessage(), newMessage(), newMessage()];
      for (const message of [working, failed]) await conversations().appendMessage(message);
      const runs = await claimAll();
      const run = runs.find(({ runId }) => runId === failed.runId);
      if (run === undefined) throw new Error("the run was not due");
      await queue().releaseRun(run.runId, run.leaseToken, { ...FAILURE, pauseMs: 60_000 });
      for (const message of [first, next(first, "second")]) await conversations().appendMessage(message);
      const after = await queue().countUnfinished();
      for (const [state, more] of [
        ["queued", 2],
        ["retrying", 1],
        ["running", 1],
      ] as const)
        expect(countOf(state, after) - countOf(state, before), state).toBe(more);
      const aged = await doAt(later(5_000), () => queue().countUnfinished());
      expect(aged.find(({ state }) => state === "queued")?.oldestSeconds).toBeGreaterThanOrEqual(5);
    });

    test("a run that was postponed or claimed before the database's clock was set back is due", async () => {
      const [paused, held] = [newMessage(), newMessage()];
      await conversations().appendMessage(paused);
      const run = await claimOf(paused);
      await queue().releaseRun(run.runId, run.leaseToken, { ...FAILURE, pauseMs: 60_000 });
      await conversations().appendMessage(held);
      await claimOf(held);
      const ours = [paused, held].map(({ runId }) => runId);
      const taken = async (now: Date) =>
        (await claimAll(now)).map(({ runId }) => runId).filter((id) => ours.includes(id));
      expect(await taken(later(-59_000))).toEqual([]);
      expect(await taken(later(-3_600_000))).toEqual(ours);
    });

    test("a run whose lease expired is claimed again, and its former holder cannot change it", async () => {
      const message = newMessage();
      await conversations().appendMessage(message);
      const lost = await claimOf(message);
      expect((await claimAll(later(LEASE_MS))).map(({ runId }) => runId)).not.toContain(message.runId);
      const held = await claimOf(message, later(LEASE_MS + 1));
      expect([lost.interruptions, held.interruptions]).toEqual([0, 1]);
      expect(await complete(lost, "too late")).toBe(false);
      expect(await queue().extendLease(lost.runId, lost.leaseToken, 90_000)).toBe(false);
      expect(await queue().releaseRun(lost.runId, lost.leaseToken, FAILURE)).toBe(false);
      expect(await queue().failRun(lost.runId, lost.leaseToken, "no")).toBe(false);
      expect(await complete(held, "in time")).toBe(true);
      expect(await texts(message)).toEqual(["user: hello", "assistant: in time"]);
    });

    test("an extended lease keeps the run", async () => {
      const message = newMessage();
      await conversations().appendMessage(message);
      const run = await claimOf(message);
      expect(await queue().extendLease(run.runId, run.leaseToken, 10 * LEASE_MS)).toBe(true);
      expect((await claimAll(later(9 * LEASE_MS))).map(({ runId }) => runId)).not.toContain(message.runId);
      expect(await complete(run, "reply")).toBe(true);
    });

    test("of many concurrent completions exactly one stores its reply", async () => {
      const message = newMessage();
      await conversations().appendMessage(message);
      const run = await claimOf(message);
      const outcomes = await doAt(later(1_000), () =>
        Promise.all(Array.from({ length: 10 }, (_, n) => complete(run, String(n)))),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await texts(message)).toHaveLength(2);
      const { items } = await conversations().listThreads(scopeOf(message), { page: 1, perPage: 20 });
      expect(items[0]).toMatchObject({ messageCount: 2, updatedAt: later(1_000) });
    });

    test("a completed run stays completed, whatever its former holder tries", async () => {
      const message = newMessage();
      await conversations().appendMessage(message);
      const run = await claimOf(message);
      await complete(run, "reply");
      expect(await queue().failRun(run.runId, run.leaseToken, "no")).toBe(false);
      expect(await queue().releaseRun(run.runId, run.leaseToken, FAILURE)).toBe(false);
      const state = await stateOf(message);
      expect(state?.latestRun).toEqual({
        runId: run.runId,
        status: "completed",
        error: "",
        usage: null,
        finishReason: null,
      });
    });

    test("a failed run has its error, is not claimed again and does not block the next one", async () => {
      const message = newMessage();
      const second = next(message, "second");
      await conversations().appendMessage(message);
      const run = await claimOf(message);
      expect(await queue().failRun(run.runId, run.leaseToken, "the model is down")).toBe(true);
      const state = await stateOf(message);
      expect(state?.latestRun).toEqual({
        runId: run.runId,
        status: "failed",
        error: "the model is down",
        usage: null,
        finishReason: null,
      });
      await conversations().appendMessage(second);
      expect((await claimAll(later(LEASE_MS * 2))).map(({ runId }) => runId)).toContain(second.runId);
    });

    test("a reply follows its question, even if the next question was stored before it", async () => {
      const message = newMessage({ parts: ["one"] });
      const second = next(message, "two");
      await conversations().appendMessage(message);
      const run = await claimOf(message);
      await conversations().appendMessage(second);
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
      await conversations().appendMessage(message);
      await conversations().appendMessage(next(message, "two"));
      expect((await claimOf(message)).history).toEqual([{ role: "user", parts: ["one"] }]);
    });

    test("the history of a run has no message of a failed one", async () => {
      const first = newMessage({ parts: ["one"] });
      await conversations().appendMessage(first);
      await complete(await claimOf(first), "uno");
      for (const text of ["two", "three"]) {
        await conversations().appendMessage(next(first, text));
        const run = await claimOf(first);
        await queue().failRun(run.runId, run.leaseToken, "whatever it was");
      }
      await conversations().appendMessage(next(first, "four"));
      expect((await claimOf(first)).history.map(({ parts }) => parts.join())).toEqual(["one", "uno", "four"]);
    });

    test("a history is bounded in messages and bytes, and holds the run's own message", async () => {
      const first = newMessage({ parts: ["0"] });
      await conversations().appendMessage(first);
      for (const text of ["1", "2", "x".repeat(96)]) await conversations().appendMessage(next(first, text));
      const history = async (reads: { messages: number; bytes: number }) => {
        const run = await claimOf(first, NOW, reads);
        await queue().releaseRun(run.runId, run.leaseToken, HANDOVER);
        return run.history.map(({ parts }) => parts.join());
      };
      for (let n = 0; n < 3; n++) await complete(await claimOf(first), `r${n}`);
      expect(await history({ messages: 3, bytes: 10_000 })).toEqual(["2", "r2", "x".repeat(96)]);
      expect(await history({ messages: 100, bytes: 107 })).toEqual(["r2", "x".repeat(96)]);
      expect(await history({ messages: 100, bytes: 1 })).toEqual(["x".repeat(96)]);
    });

    test("the messages of failed runs do not count in the bounds of the history", async () => {
      const first = newMessage({ parts: ["0"] });
      await conversations().appendMessage(first);
      await complete(await claimOf(first), "r0");
      for (let n = 0; n < 5; n++) {
        await conversations().appendMessage(next(first, "x".repeat(96)));
        const run = await claimOf(first);
        await queue().failRun(run.runId, run.leaseToken, "whatever it was");
      }
      await conversations().appendMessage(next(first, "1"));
      const { history } = await claimOf(first, NOW, { messages: 3, bytes: 100 });
      expect(history.map(({ parts }) => parts.join())).toEqual(["0", "r0", "1"]);
    });

    test("failures and interruptions are counted separately, and a handover as neither", async () => {
      const message = newMessage();
      await conversations().appendMessage(message);
      const counts = async (now: Date) => {
        const run = await claimOf(message, now);
        return { run, counts: [run.failures, run.interruptions] };
      };
      const first = await counts(NOW);
      await queue().releaseRun(first.run.runId, first.run.leaseToken, HANDOVER);
      const second = await counts(NOW);
      await queue().releaseRun(second.run.runId, second.run.leaseToken, FAILURE);
      const third = await counts(NOW);
      const fourth = await counts(later(LEASE_MS + 1));
      expect([first, second, third, fourth].map((each) => each.counts)).toEqual([
        [0, 0],
        [0, 0],
        [1, 0],
        [1, 1],
      ]);
    });

    test("the time of a run counts from its first attempt, over failures, and anew after a handover or a lost worker", async () => {
      const message = newMessage();
      await conversations().appendMessage(message);
      const claimAt = async (ms: number) => claimOf(message, later(ms));
      const release = async (run: ClaimedRun, ms: number, release: RunRelease) =>
        doAt(later(ms), () => queue().releaseRun(run.runId, run.leaseToken, release));
      const first = await claimAt(1_000);
      await release(first, 2_000, FAILURE);
      const second = await claimAt(6_000);
      await release(second, 7_000, HANDOVER);
      const third = await claimAt(8_000);
      const fourth = await claimAt(8_001 + LEASE_MS);
      expect([first, second, third, fourth].map(({ elapsedMs }) => elapsedMs)).toEqual([0, 5_000, 0, 0]);
    });

    test("the tokens of a reply are kept with its run, and how it ended", async () => {
      const message = newMessage();
      await conversations().appendMessage(message);
      const usage = { promptTokens: 12, completionTokens: 2_147_483_647 };
      await complete(await claimOf(message), "reply", usage, "length");
      expect((await stateOf(message)).latestRun).toMatchObject({ usage, finishReason: "length" });
    });
  });
}
