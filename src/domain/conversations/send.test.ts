import { describe, expect, test } from "vitest";
import { faultOf } from "../vocabulary/request-fault.ts";
import { conversationFull } from "./backlog.ts";
import type { EarlierMessage, NewMessage } from "./conversation.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { type SendCommand, sendMessage } from "./send.ts";

const COMMAND: SendCommand = {
  tenantId: "ten_1",
  userId: "u1",
  conversationKey: "support",
  parts: ["hello", "there"],
  clientMessageId: "c1",
};
const EARLIER: EarlierMessage = {
  runId: "run_1",
  messageId: "msg_1",
  conversationKey: "support",
  parts: ["hello", "there"],
};

/** Sends a message to a store that has the earlier one, if any. */
async function send(changes: Partial<SendCommand> = {}, earlier?: EarlierMessage) {
  const appended: NewMessage[] = [];
  const conversations: Pick<ConversationStore, "appendMessage"> = {
    async appendMessage(message) {
      appended.push(message);
      return earlier;
    },
  };
  const ids = await sendMessage({ conversations: conversations as ConversationStore }, { ...COMMAND, ...changes });
  return { ids, appended };
}

describe("a message", () => {
  test("is stored with ids of its own, which are returned", async () => {
    const { ids, appended } = await send();
    expect(appended).toEqual([{ ...COMMAND, ...ids, threadId: expect.stringMatching(/^thr_[0-9a-f]{32}$/) }]);
    expect(ids.runId).toMatch(/^run_[0-9a-f]{32}$/);
    expect(ids.messageId).toMatch(/^msg_[0-9a-f]{32}$/);
  });

  test("that is repeated returns the ids of the first one", async () => {
    expect((await send({}, EARLIER)).ids).toEqual({ runId: "run_1", messageId: "msg_1" });
  });

  test.each<[string, Partial<EarlierMessage>]>([
    ["another conversation", { conversationKey: "sales" }],
    ["another text", { parts: ["hello", "here"] }],
    ["fewer parts", { parts: ["hello"] }],
    ["more parts", { parts: ["hello", "there", "you"] }],
  ])("with a used id and %s is a fault, not a repetition", async (_what, changes) => {
    await expect(send({}, { ...EARLIER, ...changes })).rejects.toThrow(
      faultOf(
        "client_message_id_reused",
        "client_message_id",
        "was used for another message before; name each message differently",
      ),
    );
  });

  test("has no empty part, and at most 32 KiB of UTF-8 in all", async () => {
    await expect(send({ parts: ["a", ""] })).rejects.toThrow(
      faultOf("required", "user_message.content[1].content", "is required: the text of the part"),
    );
    await expect(send({ parts: ["", "a"] })).rejects.toThrow("user_message.content[0].content: is required");
    const [half, more] = ["é".repeat(8_192), "é".repeat(8_193)];
    await send({ parts: [half, half] });
    await expect(send({ parts: [half, more] })).rejects.toThrow(
      "user_message.content: must be at most 32768 bytes of UTF-8 in all, not 32770",
    );
  });
});

test("a conversation with too many unfinished runs is a fault that says how many", () => {
  expect(conversationFull()).toEqual(
    faultOf(
      "conversation_full",
      "conversation_key",
      "5000 messages of this conversation wait for a reply; wait for some before you send more",
    ),
  );
});
