// promise: conversations.owner, conversations.stored
import { expect, test } from "vitest";
import { backendOf, gatewayCaller } from "../harness/gateway.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

async function backend() {
  const headers = await latchkey.dashboard();
  return { dashboard: gatewayCaller(latchkey, headers), ...(await backendOf(latchkey, headers)) };
}

// threat: X7, X8
test("one conversation_key names a separate conversation for each tenant and each user", async () => {
  const [first, second] = [await backend(), await backend()];
  for (const caller of [first.bare, second.bare, first.as("u1"), first.as("u2")]) await caller.send("same", "hello");
  for (const caller of [second.bare, first.as("u1"), first.as("u2")]) {
    expect(await caller.texts("same")).toHaveLength(2);
    expect((await caller.threads()).pagination.total).toBe(1);
  }
  expect((await first.bare.threads()).pagination.total).toBe(3);
  expect((await first.dashboard.threads()).pagination.total).toBe(3);
});

test("one client_message_id is a separate message for each tenant and each user", async () => {
  const [one, other] = [await backend(), await backend()];
  const callers = [one.bare, one.as("anna"), one.as("bob"), other.bare];
  const sent = await Promise.all(callers.map((caller) => caller.send("c", "hello", { client_message_id: "m-1" })));
  expect(new Set(sent.map(({ json }) => json.runId)).size).toBe(4);
});
