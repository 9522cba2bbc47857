import { describe, expect, test } from "vitest";
import { faultOf, type RequestFault } from "../vocabulary/request-fault.ts";
import type { ConversationScope, ConversationState, MessagePage } from "./conversation.ts";
import type { ConversationStore, RunEnds } from "./conversation-store.ts";
import { isEnded, type ReadCommand, readConversation } from "./read.ts";

const SCOPE: ConversationScope = { kind: "tenant", tenantId: "ten_1" };
const COMMAND: ReadCommand = {
  conversationKey: "support",
  threadId: null,
  waitMs: 0,
  messagesMax: 0,
  beforeMessageId: null,
};
const STATE: ConversationState = {
  conversationKey: "support",
  messages: [],
  hasEarlierMessages: false,
  latestRun: { runId: "run_1", status: "completed", error: "", usage: null, finishReason: null },
};

/**
 * Reads a conversation whose run is unfinished at the first looks, as many as `unfinished` says. A wait ends at once and
 * says that it is time to look again, unless too many wait.
 */
async function read(
  changes: Partial<ReadCommand> = {},
  { unfinished = 0, found = true, hasMessage = true, canWait = true } = {},
) {
  const looks: unknown[] = [];
  const waits: { threadId: string; ms: number; signal: AbortSignal }[] = [];
  const pages: MessagePage[] = [];
  let bounded = 0;
  const conversations: Pick<ConversationStore, "findThread" | "readThread"> = {
    async findThread(scope, name) {
      looks.push({ scope, conversationKey: name.conversationKey, threadId: name.threadId });
      return found ? { threadId: "thr_1", unfinished: looks.length <= unfinished } : undefined;
    },
    async readThread(tenantId, threadId, page) {
      expect([tenantId, threadId]).toEqual(["ten_1", "thr_1"]);
      pages.push(page);
      return hasMessage ? STATE : undefined;
    },
  };
  const runEnds: Pick<RunEnds, "wait" | "reads"> = {
    async wait(tenantId, threadId, ms, signal) {
      expect(tenantId).toBe("ten_1");
      waits.push({ threadId, ms, signal });
      return canWait;
    },
    reads: {
      take(work) {
        bounded += 1;
        return work();
      },
    },
  };
  const { signal } = new AbortController();
  const ctx = { conversations: conversations as ConversationStore, runEnds: runEnds as RunEnds };
  const result = readConversation(ctx, SCOPE, { ...COMMAND, ...changes }, signal);
  return { result: await result, looks, waits, pages, signal, bounded: () => bounded };
}

describe("reading a conversation", () => {
  test("that was removed since it was found is reported as not found", async () => {
    await expect(read({}, { hasMessage: false })).rejects.toMatchObject({
      kind: "not_found",
      message: expect.stringContaining("no such conversation"),
    });
  });

  test("returns at once without a wait, or if no run is unfinished", async () => {
    for (const [waitMs, unfinished] of [
      [0, 1],
      [30_000, 0],
    ] as const) {
      const { result, looks, waits, bounded } = await read({ waitMs }, { unfinished });
      expect(result).toBe(STATE);
      expect(looks).toEqual([{ scope: SCOPE, conversationKey: "support", threadId: null }]);
      expect(waits).toEqual([]);
      expect(bounded()).toBe(0);
    }
  });

  test("waits until no run is unfinished, and stays with the conversation that it found", async () => {
    const { result, looks, waits, pages, signal, bounded } = await read({ waitMs: 30_000 }, { unfinished: 2 });
    expect(result).toBe(STATE);
    const own = { scope: SCOPE, conversationKey: "support", threadId: "thr_1" };
    expect(looks).toEqual([{ ...own, threadId: null }, own, own]);
    expect(waits).toHaveLength(2);
    for (const wait of waits) {
      expect(wait).toMatchObject({ threadId: "thr_1", signal });
      expect(wait.ms).toBeGreaterThan(0);
      expect(wait.ms).toBeLessThanOrEqual(30_000);
    }
    // The messages are read once. Looks and reads after a wait are bounded.
    expect(pages).toHaveLength(1);
    expect(bounded()).toBe(3);
  });

  test("returns what there is once the time is over, or if too many wait", async () => {
    const over = await read({ waitMs: 1 }, { unfinished: Number.POSITIVE_INFINITY });
    expect(over.result).toBe(STATE);
    const full = await read({ waitMs: 30_000 }, { unfinished: Number.POSITIVE_INFINITY, canWait: false });
    expect(full.result).toBe(STATE);
    expect(full.waits).toHaveLength(1);
    expect(full.looks).toHaveLength(1);
  });

  test("reads 1,000 messages and 1 MiB, or fewer, up to the end or to a message", async () => {
    const page = { messages: 1_000, bytes: 1_048_576, beforeMessageId: null };
    expect((await read()).pages).toEqual([page]);
    expect((await read({ messagesMax: 5, beforeMessageId: "msg_1" })).pages).toEqual([
      { ...page, messages: 5, beforeMessageId: "msg_1" },
    ]);
  });

  test.each<[string, Partial<ReadCommand>, RequestFault]>([
    [
      "no such conversation",
      {},
      faultOf("conversation_not_found", "conversation_key", "no such conversation; send-message creates it"),
    ],
    [
      "no such conversation of this name",
      { threadId: "thr_2" },
      faultOf(
        "conversation_not_found",
        "thread_id",
        "no such conversation of this conversation_key; take both from list-threads",
      ),
    ],
  ])("is a fault if there is %s", async (_what, changes, fault) => {
    await expect(read(changes, { found: false })).rejects.toThrow(fault);
  });

  test("is a fault if it has no such message", async () => {
    await expect(read({ beforeMessageId: "msg_9" }, { hasMessage: false })).rejects.toThrow(
      "before_message_id: names no message of this conversation; take it from next_before_message_id",
    );
  });
});

test("a run has ended when it is completed or has failed", () => {
  expect((["queued", "running", "completed", "failed"] as const).map(isEnded)).toEqual([false, false, true, true]);
});
