// promise: conversations.retention
import { afterAll, beforeAll, expect, test } from "vitest";
import { backendOf } from "../harness/gateway.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const DAYS = 3;

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await startLatchkey({ config: { conversationDays: DAYS }, purgeMs: 50 });
});

afterAll(() => latchkey.close());

test("messages are kept for CONVERSATION_DAYS, then removed with the conversations that have no other", async () => {
  const { bare } = await backendOf(latchkey, await latchkey.dashboard());
  for (const key of ["old", "both"]) {
    await bare.send(key, "old");
    expect(await bare.texts(key)).toHaveLength(2);
  }
  latchkey.clock.advance((DAYS * 24 - 1) * HOUR);
  await bare.send("both", "young");
  expect(await bare.texts("both")).toHaveLength(4);
  latchkey.clock.advance(2 * HOUR);
  await expect
    .poll(async () => (await bare.threads()).threads)
    .toMatchObject([{ conversation_key: "both", message_count: 2 }]);
  expect((await bare.texts("both"))[0]).toBe("young");
  expect((await bare.state("old")).status).toBe(404);
});
