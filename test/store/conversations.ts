import { beforeAll } from "vitest";
import type {
  ClaimedRun,
  ConversationScope,
  ConversationState,
  FinishReason,
  MessageBound,
  MessagePage,
  NewMessage,
  TokenUsage,
} from "../../src/domain/conversations/conversation.ts";
import type { ConversationStore, RunQueue } from "../../src/domain/conversations/conversation-store.ts";
import type { Clock } from "../../src/domain/vocabulary/clock.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { NOW, newMessage } from "./records.ts";

export const LEASE_MS = 30_000;
const READS: MessageBound = { messages: 1_000, bytes: 1_000_000 };

interface Opened {
  readonly conversations: ConversationStore;
  readonly queue: RunQueue;
}

/** Opens both on one database, with a clock that stands at `NOW`, except within `doAt`. */
export type OpenConversations = (clock: Clock) => Promise<Opened>;

/** Steps that the suites share. The functions work once the tests run. */
export function openedConversations(open: OpenConversations) {
  let opened: Opened;
  let at = NOW;
  beforeAll(async () => {
    opened = await open(() => at);
  });
  const conversations = () => opened.conversations;
  const queue = () => opened.queue;

  /** Runs it at another time than `NOW`. */
  async function doAt<T>(now: Date, work: () => Promise<T>): Promise<T> {
    at = now;
    const done = await work();
    at = NOW;
    return done;
  }

  const claim = (now: Date = NOW, reads = READS) =>
    doAt(now, () => queue().claimRun({ token: newId("req"), leaseMs: LEASE_MS }, reads));

  /** Claims until no run is due. They include runs of other tests, because all tenants share one queue. */
  async function claimAll(now: Date = NOW, reads = READS): Promise<ClaimedRun[]> {
    const runs: ClaimedRun[] = [];
    for (let run = await claim(now, reads); run !== undefined; run = await claim(now, reads)) runs.push(run);
    return runs;
  }

  /** The due run of a conversation. */
  async function claimOf({ threadId }: NewMessage, now: Date = NOW, reads = READS): Promise<ClaimedRun> {
    const run = (await claimAll(now, reads)).find((each) => each.threadId === threadId);
    if (run === undefined) throw new Error("the run was not due");
    return run;
  }

  const complete = (
    run: ClaimedRun,
    text: string,
    usage: TokenUsage | null = null,
    finishReason: FinishReason | null = null,
  ) =>
    queue().completeRun(run.runId, run.leaseToken, {
      messageId: newId("msg"),
      parts: [text],
      usage,
      finishReason,
    });

  async function stateOf(message: NewMessage, page: Partial<MessagePage> = {}): Promise<ConversationState> {
    const thread = await conversations().findThread(scopeOf(message), { ...message, threadId: null });
    const wanted = { ...READS, beforeMessageId: null, ...page };
    const state = thread && (await conversations().readThread(message.tenantId, thread.threadId, wanted));
    if (state === undefined) throw new Error("there is no such conversation");
    return state;
  }

  return {
    conversations,
    queue,
    scopeOf,
    doAt,
    claim,
    claimAll,
    claimOf,
    complete,
    stateOf,
    /** Another message of the same conversation. */
    next: (message: NewMessage, text: string) => newMessage({ ...message, ...newIds(), parts: [text] }),
    texts: async (message: NewMessage) =>
      (await stateOf(message)).messages.map(({ role, parts }) => `${role}: ${parts.join()}`),
    /** Completes the due run of a conversation. */
    answer: async (message: NewMessage) => complete(await claimOf(message), "reply"),
  };
}

/** With null: the tenant-wide scope. */
function scopeOf({ tenantId, userId }: Pick<NewMessage, "tenantId" | "userId">): ConversationScope {
  return userId === null ? { kind: "tenant", tenantId } : { kind: "user", tenantId, userId };
}

function newIds() {
  return { messageId: newId("msg"), runId: newId("run") };
}
