import { afterAll, beforeAll, expect, test } from "vitest";
import { Code, RunFailedError } from "../../clients/typescript/src/index.ts";
import { AssistantFailure } from "../../src/domain/conversations/assistant-failure.ts";
import type { Assistant } from "../../src/domain/ports.ts";
import { dashboardClient, newKey, secretKeyClient } from "../harness/clients.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";

let latchkey: Latchkey;

/** Called when the assistant is asked for the reply that never comes. */
let onHang = (): void => {};

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
    return { text: `You said: ${text}`, usage: null };
  },
};

beforeAll(async () => {
  latchkey = await startLatchkey({ assistant });
});

afterAll(() => latchkey.close());

async function backend() {
  return secretKeyClient(latchkey, await newKey(dashboardClient(latchkey), "conversations:*", "users:impersonate"));
}

test("a message is answered with its own reply, each of several at once", async () => {
  const client = await backend();
  const texts = ["one", "two", "three"];
  const replies = await Promise.all(texts.map((text) => client.sendAndWait({ conversationKey: "c", text })));
  expect(replies.map(({ text }) => text)).toEqual(texts.map((text) => `You said: ${text}`));
});

test("a message is sent and awaited for the user that the call names", async () => {
  const client = await backend();
  const headers = { "x-on-behalf-of": "anna" };
  await client.sendAndWait({ conversationKey: "c", text: "Hi" }, { headers });
  const { threads } = await client.gateway.listThreads({}, { headers });
  expect(threads.map(({ userId, messageCount }) => [userId, messageCount])).toEqual([["anna", 2]]);
});

test("a run that fails for good is a typed error", async () => {
  const client = await backend();
  const outcome = client.sendAndWait({ conversationKey: "c", text: "fail" }).catch((err: unknown) => err);
  const err = await outcome;
  expect(err).toBeInstanceOf(RunFailedError);
  expect(err).toMatchObject({ conversationKey: "c", reason: expect.stringMatching(/./) });
});

test("a caller that gives up waits no longer, and the message stays", async () => {
  const client = await backend();
  const giveUp = new AbortController();
  onHang = () => giveUp.abort();
  const { signal } = giveUp;
  const err = await client.sendAndWait({ conversationKey: "c", text: "hang" }, { signal }).catch((err: unknown) => err);
  expect(err).toMatchObject({ code: Code.Canceled });
  expect((await client.gateway.getConversationState({ conversationKey: "c" })).messages).toHaveLength(1);
});
