// promise: lists.pages, conversations.order
import { expect, test } from "vitest";
import { backendOf } from "../harness/gateway.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();
const backend = async () => backendOf(latchkey, await latchkey.dashboard());
const WAIT = { wait_ms: 10_000 };

test("the most recently written conversation comes first, in pages", async () => {
  const { bare } = await backend();
  for (const key of ["a", "b", "c"]) {
    await bare.send(key, "hello");
    await bare.state(key, WAIT);
  }
  await bare.send("a", "hello");
  await bare.state("a", WAIT);
  const first = await bare.threads({ per_page: 2 });
  expect(first.threads.map((thread: { conversation_key: string }) => thread.conversation_key)).toEqual(["a", "c"]);
  expect(first.threads[0]).toEqual({
    thread_id: expect.stringMatching(/^thr_/),
    conversation_key: "a",
    user_id: "",
    message_count: 4,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(first.pagination).toEqual({ total: 3, page: 1, per_page: 2, total_pages: 2 });
  expect((await bare.threads({ page: 2, per_page: 2 })).threads).toHaveLength(1);
  expect((await bare.threads({ page: 9 })).threads).toEqual([]);
});

test("a page past the end is empty and has the right total, and a page has at most 100 conversations", async () => {
  const { bare } = await backend();
  await bare.send("a", "hello");
  for (const page of [2, 2_147_483_647]) {
    const past = await bare.threads({ page, per_page: 101 });
    expect(past).toEqual({
      threads: [],
      pagination: { total: 1, page, per_page: 100, total_pages: 1 },
      next_page_token: "",
    });
  }
  expect((await bare.threads()).pagination).toEqual({ total: 1, page: 1, per_page: 20, total_pages: 1 });
});
