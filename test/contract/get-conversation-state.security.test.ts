// promise: conversations.order
import { expect, test } from "vitest";
import { backendOf } from "../harness/gateway.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();
const backend = async () => backendOf(latchkey, await latchkey.dashboard());

test("another user's and another tenant's conversation are the same 404 as one that does not exist", async () => {
  const { as, bare } = await backend();
  await as("u1").send("mine", "hello");
  const others = [as("u2"), (await backend()).bare];
  const answers = await Promise.all(others.map((caller) => caller.state("mine")));
  const unknown = await bare.state("never");
  for (const answer of [...answers, unknown]) {
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 404, text: unknown.text });
  }
  expect((await bare.state("mine")).status).toBe(200);
});
