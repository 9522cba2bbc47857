import { expect, test } from "vitest";
import { backendOf } from "../harness/gateway.ts";
import type { JsonObject } from "../harness/http.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();
const backend = async () => backendOf(latchkey, await latchkey.dashboard());

// threat: X7
test("a key that acts for a user lists that user's conversations only, and no key those of another tenant", async () => {
  const [own, other] = [await backend(), await backend()];
  await own.as("anna").send("of anna", "hello");
  await own.as("bob").send("of bob", "hello");
  const keysOf = ({ threads }: JsonObject) => threads.map((thread: JsonObject) => thread.conversation_key);
  expect(keysOf(await own.as("anna").threads())).toEqual(["of anna"]);
  expect(keysOf(await own.as("carol").threads())).toEqual([]);
  expect(keysOf(await other.bare.threads())).toEqual([]);
  expect(keysOf(await other.as("anna").threads())).toEqual([]);
});
