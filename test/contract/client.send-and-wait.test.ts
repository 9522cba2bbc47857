import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Code, ContentPartType, Role, RunFailedError, RunStatus } from "../../clients/typescript/src/index.ts";
import type { Assistant } from "../../src/domain/conversations/assistant.ts";
import { AssistantFailure } from "../../src/domain/conversations/assistant-failure.ts";
import { dashboardClient, newKey, secretKeyClient } from "../harness/clients.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";

let latchkey: Latchkey;

/** Called when the assistant gets the request for the reply that never comes. */
let onHang = (): void => {};
/** What the assistant waits for before it replies to anything else. */
let held = Promise.resolve();
let release = (): void => {};

/** Fails for one text, never ends for another, and repeats the rest. */
const assistant: Assistant = {
  reads: { messages: 10, bytes: 65_536 },
  async reply(history, signal) {
    const text = history.at(-1)?.parts.join(" ") ?? "";
    if (text === "fail") throw new AssistantFailure("refused", "it will not");
    if (text === "hang") {
      onHang();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    await held;
    return { text: `You said: ${text}`, usage: null, finishReason: "stop" };
  },
};

beforeAll(async () => {
  latchkey = await startLatchkey({ assistant });
});

// What a test that failed has left held would keep the next ones waiting.
afterEach(() => release());

afterAll(() => latchkey.close());

function holdReplies(): void {
  ({ promise: held, resolve: release } = Promise.withResolvers<void>());
}

function backendKey(): Promise<string> {
  return newKey(dashboardClient(latchkey), "conversations:*", "users:impersonate");
}

async function backend() {
  return secretKeyClient(latchkey, await backendKey());
}

/** A `fetch` that changes the requests for a conversation's state, as a proxy may. */
function changingReads(change: (init: RequestInit) => RequestInit | Promise<RequestInit>): typeof fetch {
  return async (input, init = {}) =>
    fetch(input, String(input).endsWith("/GetConversationState") ? await change(init) : init);
}

test("each of several concurrent messages gets its own reply", async () => {
  const client = await backend();
  const texts = ["one", "two", "three"];
  const replies = await Promise.all(texts.map((text) => client.sendAndWait({ conversationKey: "c", text })));
  expect(replies.map(({ text }) => text)).toEqual(texts.map((text) => `You said: ${text}`));
});

test("concurrent messages get their replies even if these do not fit into one page", async () => {
  const client = await backend();
  holdReplies();
  const texts = Array.from({ length: 20 }, (_, n) => String(n).padEnd(32_768, "."));
  const replies = Promise.all(texts.map((text) => client.sendAndWait({ conversationKey: "c", text })));
  const sent = async () => (await client.gateway.listThreads({})).threads[0]?.messageCount;
  await expect.poll(sent, { timeout: 20_000 }).toBe(texts.length);
  release();
  expect((await replies).map(({ text }) => text)).toEqual(texts.map((text) => `You said: ${text}`));
  const { nextBeforeMessageId } = await client.gateway.getConversationState({ conversationKey: "c" });
  expect(nextBeforeMessageId).toBeDefined();
});

test("a failed run is reported although the conversation goes on and its latest message waits", async () => {
  const key = await backendKey();
  const { gateway } = secretKeyClient(latchkey, key);
  const send = (content: string) => {
    const userMessage = { role: Role.USER, content: [{ type: ContentPartType.TEXT, content }] };
    return gateway.sendMessage({ conversationKey: "c", userMessage });
  };
  let reads = 0;
  const goOnBeforeTheRead = changingReads(async (init) => {
    if (++reads > 1) throw new Error("reads again although nothing will change");
    const hangs = Promise.withResolvers<void>();
    onHang = hangs.resolve;
    for (const text of ["answered", "hang", "waits"]) await send(text);
    await hangs.promise;
    // Held, the answer would come after 30 s, and be the same.
    return { ...init, body: (await new Response(init.body).text()).replace(/"wait_ms":\d+/, '"wait_ms":0') };
  });
  const client = secretKeyClient(latchkey, key, { fetch: goOnBeforeTheRead, retry: { attemptsMax: 1 } });
  const err = await client.sendAndWait({ conversationKey: "c", text: "fail" }).catch((err: unknown) => err);
  expect(err).toBeInstanceOf(RunFailedError);
  const { run } = await gateway.getConversationState({ conversationKey: "c" });
  expect(run?.status).toBe(RunStatus.QUEUED);
});

test("waiting continues after a read that failed with deadline_exceeded", async () => {
  holdReplies();
  let reads = 0;
  const setDeadline = changingReads((init) => {
    const headers = new Headers(init.headers);
    if (++reads <= 2) headers.set("Connect-Timeout-Ms", "50");
    else release();
    return { ...init, headers };
  });
  const retry = { attemptsMax: 1, sleep: async () => {} };
  const client = secretKeyClient(latchkey, await backendKey(), { fetch: setDeadline, retry });
  expect((await client.sendAndWait({ conversationKey: "c", text: "Hi" })).text).toBe("You said: Hi");
  expect(reads).toBe(3);
});

test("a message is sent and awaited for the user that the call names", async () => {
  const client = await backend();
  const headers = { "x-on-behalf-of": "anna" };
  await client.sendAndWait({ conversationKey: "c", text: "Hi" }, { headers });
  const { threads } = await client.gateway.listThreads({}, { headers });
  expect(threads.map(({ userId, messageCount }) => [userId, messageCount])).toEqual([["anna", 2]]);
});

test("a run that fails finally is a typed error", async () => {
  const client = await backend();
  const outcome = client.sendAndWait({ conversationKey: "c", text: "fail" }).catch((err: unknown) => err);
  const err = await outcome;
  expect(err).toBeInstanceOf(RunFailedError);
  expect(err).toMatchObject({ conversationKey: "c", reason: expect.stringMatching(/./) });
});

test("a caller that aborts stops waiting, and the message stays", async () => {
  const client = await backend();
  const giveUp = new AbortController();
  onHang = () => giveUp.abort();
  const { signal } = giveUp;
  const err = await client.sendAndWait({ conversationKey: "c", text: "hang" }, { signal }).catch((err: unknown) => err);
  expect(err).toMatchObject({ code: Code.Canceled });
  expect((await client.gateway.getConversationState({ conversationKey: "c" })).messages).toHaveLength(1);
});
