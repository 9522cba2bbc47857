// promise: conversations.wait
import { describe, expect, test } from "vitest";
import { backendOf, textsOf } from "../harness/gateway.ts";
import type { JsonObject } from "../harness/http.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

async function conversation(texts: readonly string[]) {
  const { bare } = await backendOf(latchkey, await latchkey.dashboard());
  for (const text of texts) await bare.send("c", text);
  await bare.texts("c");
  return bare;
}

describe("the messages of a conversation", () => {
  test("come in pages from the latest to the first, each message once and in order", async () => {
    const caller = await conversation(["a", "b", "c", "d"]);
    const all = (await caller.state("c")).json.messages;
    expect(all).toHaveLength(8);
    const read: JsonObject[] = [];
    const sizes = [];
    let before: string | undefined = "";
    while (before !== undefined) {
      const { json }: { json: JsonObject } = await caller.state("c", { messages_max: 3, before_message_id: before });
      read.unshift(...json.messages);
      sizes.push(json.messages.length);
      expect(json.run.status).toBe("RUN_STATUS_COMPLETED");
      before = json.next_before_message_id;
    }
    expect(sizes).toEqual([3, 3, 2]);
    expect(read).toEqual(all);
  });

  test("that are sent between two pages do not move the next page", async () => {
    const caller = await conversation(["a", "b"]);
    const { next_before_message_id } = (await caller.state("c", { messages_max: 2 })).json;
    await caller.send("c", "later");
    const { json } = await caller.state("c", { before_message_id: next_before_message_id });
    expect(textsOf(json)).toEqual(["a", "You said: a"]);
    expect(json).not.toHaveProperty("next_before_message_id");
  });

  test("are at most 1 MiB in one answer, however long the conversation", async () => {
    const caller = await conversation(Array.from({ length: 18 }, (_, n) => String(n % 10).repeat(32_768)));
    const { json, text } = await caller.state("c");
    expect(json.messages).toHaveLength(31);
    expect(text.length).toBeLessThan(1_100_000);
    const rest = await caller.state("c", { before_message_id: json.next_before_message_id });
    expect(rest.json.messages).toHaveLength(5);
  });
});
