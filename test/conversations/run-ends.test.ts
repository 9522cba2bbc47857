import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { AssistantReply } from "../../src/domain/conversations/assistant.ts";
import { AssistantFailure } from "../../src/domain/conversations/assistant-failure.ts";
import type { ConversationStore, RunQueue } from "../../src/domain/conversations/conversation-store.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { createConversationStore } from "../../src/store/sql/conversations/conversation-store.ts";
import { createRunQueue } from "../../src/store/sql/conversations/run-queue.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { performRun, type RunContext } from "../../src/workers/run-attempt.ts";
import { createRunEnds } from "../../src/workers/run-ends.ts";
import { openCopy } from "../servers/embedded-template.ts";
import { NOW, newMessage } from "../store/records.ts";

const LONG_MS = 60_000;
const READS = { messages: 10, bytes: 1_000 };

let database: SqlDatabase;
let conversations: ConversationStore;
let queue: RunQueue;

beforeAll(async () => {
  database = await openCopy(inject("embeddedTemplate"));
  conversations = createConversationStore(database, () => NOW);
  queue = createRunQueue(database, () => NOW);
});
afterAll(() => database.close());

interface Attempt {
  reply(signal: AbortSignal): Promise<AssistantReply>;
  readonly queue?: Partial<RunQueue>;
  readonly handover?: AbortSignal;
}

const done = async () => ({ text: "hi", usage: null, finishReason: "stop" as const });
const fails = (reason: "refused" | "unavailable") => async () => {
  throw new AssistantFailure(reason, "no");
};

/** Whether a reader who waits for a run is woken by this attempt at it, when no look at the storage would; and its outcome. */
async function wakes(attempt: Attempt, report: (kind: string) => void): Promise<boolean> {
  const message = newMessage();
  await conversations.appendMessage(message);
  const runEnds = createRunEnds({ conversations, pollMs: LONG_MS, onError: () => {} });
  const waited = runEnds.wait(message.tenantId, message.threadId, LONG_MS, new AbortController().signal);
  const run = await queue.claimRun({ token: newId("req"), leaseMs: LONG_MS }, READS);
  if (run?.runId !== message.runId) throw new Error("another run was due");
  const ctx: RunContext = {
    queue: { ...queue, ...attempt.queue },
    assistant: { reads: READS, reply: (_history, signal) => attempt.reply(signal) },
    leaseMs: LONG_MS,
    deadlineMs: LONG_MS,
    runEnds,
    onOutcome: ({ kind }) => report(kind),
    onFault: () => {},
  };
  await performRun(ctx, run, attempt.handover ?? new AbortController().signal);
  const isWoken = runEnds.waiting === 0;
  runEnds.close();
  await waited;
  // What was handed over must not be the next one's to claim. What is tried again is not due while the clock stands still.
  const left = await queue.claimRun({ token: newId("req"), leaseMs: LONG_MS }, READS);
  if (left !== undefined) await queue.failRun(left.runId, left.leaseToken, "the test is over");
  return isWoken;
}

const ATTEMPTS: readonly (readonly [kind: string, isWoken: boolean, attempt: Attempt])[] = [
  ["completed", true, { reply: done }],
  ["failed", true, { reply: fails("refused") }],
  // As where the answer to its commit was lost, and the next try finds the lease gone.
  ["lost", true, { reply: done, queue: { completeRun: async () => false } }],
  ["retried", false, { reply: fails("unavailable") }],
  ["handed_over", false, { reply: (signal) => Promise.reject(signal.reason), handover: AbortSignal.abort() }],
];

describe("a reader that waits for a run", () => {
  test.each(ATTEMPTS)("that is %s is woken by it: %s", async (kind, isWoken, attempt) => {
    const reported: string[] = [];
    expect(await wakes(attempt, (kind) => void reported.push(kind))).toBe(isWoken);
    expect(reported).toEqual([kind]);
  });

  test.each(ATTEMPTS)("that is %s is woken by it even if reporting fails: %s", async (_kind, isWoken, attempt) => {
    const broken = (): never => {
      throw new Error("no report");
    };
    expect(await wakes(attempt, () => {})).toBe(isWoken);
    expect(await wakes(attempt, broken)).toBe(isWoken);
  });
});
