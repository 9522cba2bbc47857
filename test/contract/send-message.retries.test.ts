import { describe, expect, test } from "vitest";
import { expectConflict, expectInvalid } from "../harness/error-answers.ts";
import { backendOf } from "../harness/gateway.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

const backend = async () => backendOf(latchkey, await latchkey.dashboard());

describe("a message with a client_message_id", () => {
  test("that is sent again returns the ids of the first, even after its reply", async () => {
    const { bare } = await backend();
    const first = await bare.send("c", "hello", { client_message_id: "m-1" });
    expect(first.json.runId).toMatch(/^run_/);
    expect(await bare.texts("c")).toHaveLength(2);
    const again = await bare.send("c", "hello", { client_message_id: "m-1" });
    expect(again.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(await bare.texts("c")).toEqual(["hello", "You said: hello"]);
  });

  test("that is sent thirty times concurrently is one message, one run and one reply", async () => {
    const { bare } = await backend();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => bare.send("c", "hello", { client_message_id: "m-1" })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await bare.texts("c")).toEqual(["hello", "You said: hello"]);
    expect((await bare.threads()).threads[0].message_count).toBe(2);
  });

  test.each([
    ["another text", "c", "other", {}],
    ["another conversation", "d", "hello", {}],
    [
      "the same text in other parts",
      "c",
      "",
      { user_message: { role: "ROLE_USER", content: ["hel", "lo"].map((content) => ({ type: 1, content })) } },
    ],
  ])("is 409 for %s, and nothing is stored", async (_, key, text, fields) => {
    const { bare } = await backend();
    await bare.send("c", "hello", { client_message_id: "m-1" });
    const answer = await bare.send(key, text, { client_message_id: "m-1", ...fields });
    expectConflict(answer, "client_message_id");
    expect(await bare.texts("c")).toHaveLength(2);
    expect((await bare.threads()).pagination.total).toBe(1);
  });

  test("that is empty makes a new message each time, and one of 129 characters is 400", async () => {
    const { bare } = await backend();
    const ids = [];
    for (const client_message_id of ["", "", null]) {
      ids.push((await bare.send("c", "hello", { client_message_id })).json.runId);
    }
    expect(new Set(ids).size).toBe(3);
    expect((await bare.send("c", "hello", { client_message_id: "é".repeat(128) })).status).toBe(200);
    expectInvalid(await bare.send("c", "hello", { client_message_id: "x".repeat(129) }), "client_message_id");
  });
});
