import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { backendOf } from "../harness/gateway.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

async function conversation() {
  const { bare } = await backendOf(latchkey, await latchkey.dashboard());
  await bare.send("c", "a");
  return bare;
}

test.each([
  [{ messages_max: -1 }, "messages_max"],
  [{ messages_max: 1_001 }, "messages_max"],
  [{ before_message_id: "msg_unknown" }, "before_message_id"],
  [{ before_message_id: "x".repeat(65) }, "before_message_id"],
  [{ thread_id: "x".repeat(65) }, "thread_id"],
  [{ wait_ms: -1 }, "wait_ms"],
  [{ wait_ms: 30_001 }, "wait_ms"],
])("%j is 400 with the member's name", async (fields, field) => {
  const caller = await conversation();
  expectInvalid(await caller.state("c", fields), field);
});

test("a before_message_id of another conversation is 400", async () => {
  const caller = await conversation();
  await caller.send("other", "b");
  const { messages } = (await caller.state("other")).json;
  expectInvalid(await caller.state("c", { before_message_id: messages[0].message_id }), "before_message_id");
});
