import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { ConversationStore, RunEnds } from "../../src/domain/conversations/conversation-store.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { createConversationStore } from "../../src/store/sql/conversations/conversation-store.ts";
import { createRunQueue } from "../../src/store/sql/conversations/run-queue.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { createRunEnds } from "../../src/workers/run-ends.ts";
import { openCopy } from "../servers/embedded-template.ts";
import { newMessage } from "../store/records.ts";

const LONG_MS = 20_000;

let database: SqlDatabase;
let conversations: ConversationStore;
let runEnds: RunEnds;
let errors: unknown[];

beforeAll(async () => {
  database = await openCopy(inject("embeddedTemplate"));
  conversations = createConversationStore(database);
});
afterAll(() => database.close());
beforeEach(() => {
  errors = [];
  runEnds = createRunEnds({ conversations, pollMs: 20, onError: (err) => errors.push(err) });
});

async function unfinished() {
  const message = newMessage();
  await conversations.appendMessage(message);
  return message;
}

/** Ends the run that is due, without an announcement to its readers. */
async function endSilently(): Promise<void> {
  const queue = createRunQueue(database);
  const run = await queue.claimRun({ token: newId("req"), leaseMs: 60_000 }, { messages: 1, bytes: 1 });
  if (run === undefined) throw new Error("no run was due");
  await queue.failRun(run.runId, run.leaseToken, "no");
}

const never = () => new AbortController().signal;

describe("a reader that waits for a run", () => {
  test("learns of its end without an announcement", async () => {
    const { tenantId, threadId } = await unfinished();
    const waited = runEnds.wait(tenantId, threadId, LONG_MS, never());
    expect(runEnds.waiting).toBe(1);
    await endSilently();
    expect(await waited).toBe(true);
    expect(runEnds.waiting).toBe(0);
  });

  test("does not miss an end that came just before", async () => {
    const { tenantId, threadId } = await unfinished();
    await endSilently();
    expect(await runEnds.wait(tenantId, threadId, LONG_MS, never())).toBe(true);
  });

  test("does not miss an end that comes while the storage is polled for others", async () => {
    const [other, own] = [await unfinished(), await unfinished()];
    const looks: (() => void)[] = [];
    const ends = createRunEnds({
      conversations: {
        async findUnfinished(threadIds) {
          const found = await conversations.findUnfinished(threadIds);
          await new Promise<void>((goOn) => looks.push(goOn));
          return found;
        },
      },
      pollMs: LONG_MS,
      onError: (err) => errors.push(err),
    });
    const others = ends.wait(other.tenantId, other.threadId, LONG_MS, never());
    await expect.poll(() => looks.length).toBe(1);
    await endSilently();
    await endSilently();
    const waited = ends.wait(own.tenantId, own.threadId, LONG_MS, never());
    looks[0]?.();
    await expect.poll(() => looks.length).toBe(2);
    looks[1]?.();
    expect(await Promise.all([others, waited])).toEqual([true, true]);
  });

  test("is counted once even if its signal is aborted when the wait is over", async () => {
    const { tenantId, threadId } = await unfinished();
    const leave = new AbortController();
    const waited = runEnds.wait(tenantId, threadId, LONG_MS, leave.signal);
    runEnds.announce(threadId);
    expect(await waited).toBe(true);
    leave.abort();
    expect(runEnds.waiting).toBe(0);
    await endSilently();
  });

  test("is not woken by another conversation's end", async () => {
    const { tenantId, threadId } = await unfinished();
    const leave = new AbortController();
    let woken = false;
    const waited = runEnds.wait(tenantId, threadId, LONG_MS, leave.signal).then(() => {
      woken = true;
    });
    runEnds.announce(newId("thr"));
    await conversations.findUnfinished([threadId]);
    expect(woken).toBe(false);
    leave.abort();
    await waited;
    await endSilently();
  });

  test("stops waiting when its signal is aborted, before or during the wait, and leaves nothing behind", async () => {
    const { tenantId, threadId } = await unfinished();
    const leave = new AbortController();
    const waited = runEnds.wait(tenantId, threadId, LONG_MS, leave.signal);
    leave.abort();
    expect(await waited).toBe(true);
    expect(await runEnds.wait(tenantId, threadId, LONG_MS, leave.signal)).toBe(false);
    expect(runEnds.waiting).toBe(0);
    await endSilently();
  });

  test("is not admitted beyond 2,000 in all, until another reader stops waiting", async () => {
    const { threadId } = await unfinished();
    const tenants = Array.from({ length: 4 }, () => newId("ten"));
    const waits = tenants.flatMap((tenant) =>
      Array.from({ length: 500 }, () => runEnds.wait(tenant, threadId, LONG_MS, never())),
    );
    expect(runEnds.waiting).toBe(2_000);
    expect(await runEnds.wait(newId("ten"), threadId, LONG_MS, never())).toBe(false);
    runEnds.announce(threadId);
    expect(new Set(await Promise.all(waits))).toEqual(new Set([true]));
    const again = runEnds.wait(tenants[0] ?? "", threadId, LONG_MS, never());
    expect(runEnds.waiting).toBe(1);
    runEnds.close();
    expect(await again).toBe(true);
    await endSilently();
  });

  test("goes on waiting, up to its time, while the storage is unavailable", async () => {
    const unavailable = new StoreUnavailable(new Error("no answer"));
    const ends = createRunEnds({
      conversations: { findUnfinished: () => Promise.reject(unavailable) },
      pollMs: 5,
      onError: (err) => errors.push(err),
    });
    const leave = new AbortController();
    const waited = ends.wait("ten_1", "thr_1", LONG_MS, leave.signal);
    await expect.poll(() => errors.length).toBeGreaterThan(2);
    expect(new Set(errors)).toEqual(new Set([unavailable]));
    expect(ends.waiting).toBe(1);
    expect(await ends.wait("ten_1", "thr_1", 20, never())).toBe(true);
    leave.abort();
    expect(await waited).toBe(true);
  });

  test("stops waiting at once when the process stops, and no reader waits any more", async () => {
    const { tenantId, threadId } = await unfinished();
    const waited = runEnds.wait(tenantId, threadId, LONG_MS, never());
    runEnds.close();
    expect(await waited).toBe(true);
    expect(await runEnds.wait(tenantId, threadId, LONG_MS, never())).toBe(false);
    await endSilently();
  });
});
