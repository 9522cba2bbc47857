// promise: conversations.stored, conversations.bounds, conversations.order
import { expect, test } from "vitest";
import { backendOf, textMessage } from "../harness/gateway.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();
const backend = async () => backendOf(latchkey, await latchkey.dashboard());
const WAIT = { wait_ms: 10_000 };

test("a message is acknowledged at once and answered in the background", async () => {
  const { bare } = await backend();
  const sent = await bare.send("c", textMessage("one", "two"));
  expect(sent.json).toEqual({
    runId: expect.stringMatching(/^run_/),
    message_id: expect.stringMatching(/^msg_/),
    conversation_key: "c",
  });
  const { json } = await bare.state("c", WAIT);
  const { runId } = sent.json;
  const part = (content: string) => ({ type: "CONTENT_PART_TYPE_TEXT", content });
  const created_at = expect.stringMatching(/^\d{4}-.*Z$/);
  const message_id = expect.stringMatching(/^msg_/);
  expect(json).toEqual({
    conversation_key: "c",
    status: "CONVERSATION_STATUS_IDLE",
    messages: [
      { message_id, role: "ROLE_USER", content: [part("one"), part("two")], created_at, runId },
      { message_id, role: "ROLE_ASSISTANT", content: [part("You said: one\ntwo")], created_at, runId },
    ],
    run: { runId, status: "RUN_STATUS_COMPLETED", error: "", finish_reason: "FINISH_REASON_STOP" },
  });
});

test("each of thirty concurrent messages is followed by its own reply", async () => {
  const { bare } = await backend();
  await Promise.all(Array.from({ length: 30 }, (_, n) => bare.send("many", `m${n}`)));
  await expect
    .poll(async () => (await bare.state("many", { wait_ms: 1_000 })).json.messages.length, { timeout: 20_000 })
    .toBe(60);
  const { messages } = (await bare.state("many", WAIT)).json;
  for (let n = 0; n < 60; n += 2) {
    expect(messages[n + 1].runId).toBe(messages[n].runId);
    expect(messages[n + 1].content[0].content).toBe(`You said: ${messages[n].content[0].content}`);
  }
});

test("a message may have 32 KiB in 32 parts, and a conversation_key of 256 characters", async () => {
  const { bare } = await backend();
  const message = textMessage(...Array.from({ length: 32 }, () => "x".repeat(1_024)));
  expect((await bare.send("k".repeat(256), message)).status).toBe(200);
});

test("messages that a backend sends for a user are in one conversation of that user", async () => {
  const { as } = await backend();
  await as("u1").send("c", "hello");
  await as("u1").send("c", "hello");
  expect((await as("u1").threads()).threads).toMatchObject([{ conversation_key: "c", user_id: "u1" }]);
});
