// promise: conversations.bounds
import { expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { backendOf, textMessage } from "../harness/gateway.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";

const latchkey = await sharedLatchkey();
const backend = async () => backendOf(latchkey, await latchkey.dashboard());

// threat: B20
test.each([
  ["no parts", textMessage(), "user_message.content"],
  ["33 parts", textMessage(...Array.from({ length: 33 }, () => "x")), "user_message.content"],
  ["an empty part", textMessage("x", ""), "user_message.content[1].content"],
  ["more than 32 KiB", textMessage("é".repeat(16_385)), "user_message.content"],
  ["the assistant's role", { ...USER_MESSAGE, role: "ROLE_ASSISTANT" }, "user_message.role"],
  ["no role", { content: USER_MESSAGE.content }, "user_message.role"],
  ["a part of no type", { role: "ROLE_USER", content: [{ content: "x" }] }, "user_message.content[0].type"],
])("a message with %s is 400 with the member's name, and is not stored", async (_what, message, field) => {
  const { bare } = await backend();
  const answer = await bare.send("c", message);
  expect({ status: answer.status, code: answer.json.code }).toEqual({ status: 400, code: "invalid_argument" });
  expect(answer.json.message).toContain(`${field}:`);
  expect((await bare.threads()).pagination.total).toBe(0);
});

// threat: B20
test.each(["ROLE_ASSISTANT", "ROLE_SYSTEM", "ROLE_UNSPECIFIED", "user", 2, 7, null, undefined])(
  "the role %j is 400, and the message names the one accepted role",
  async (role) => {
    const answer = await (await backend()).bare.send("c", { ...USER_MESSAGE, role });
    expectInvalid(answer, "user_message.role", "must be ROLE_USER");
    expect(answer.json.message).not.toContain("ROLE_ASSISTANT");
  },
);

test.each(["CONTENT_PART_TYPE_UNSPECIFIED", "text", 0, 7, null, undefined])(
  "a part of type %j is 400, and the message names the one accepted type",
  async (type) => {
    const content = [...USER_MESSAGE.content, { type, content: "x" }];
    const answer = await (await backend()).bare.send("c", { ...USER_MESSAGE, content });
    expectInvalid(answer, "user_message.content[1].type");
    expect(answer.json.message).toBe("user_message.content[1].type: must be CONTENT_PART_TYPE_TEXT");
  },
);

// threat: B20
test.each(["", "k".repeat(257)])("the conversation_key %j is 400", async (key) => {
  const answer = await (await backend()).bare.send(key, "hello");
  expect(answer.status).toBe(400);
  expect(answer.json.message).toContain("conversation_key");
});
