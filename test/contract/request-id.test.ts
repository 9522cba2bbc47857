import { beforeAll, expect, test } from "vitest";
import { type Latchkey, sharedLatchkey } from "../harness/latchkey.ts";

const LIST = "/api/v1/llm/gateway/list-threads";

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await sharedLatchkey();
});

async function answeredId(sent?: string): Promise<string | null> {
  const answer = await latchkey.call(LIST, {}, sent === undefined ? {} : { "x-request-id": sent });
  return answer.headers.get("x-request-id");
}

test.each(["a", "7f3c-11.B_x", "x".repeat(128)])("the request id %j is taken over, and logged", async (id) => {
  expect(await answeredId(id)).toBe(id);
  expect(latchkey.logLines.some((line) => JSON.parse(line).request_id === id)).toBe(true);
});

test.each(["", "a b", "a/b", "ä", "x".repeat(129), `sk_${"a".repeat(36)}`, undefined])(
  "for the request id %j a new one is made",
  async (id) => {
    expect(await answeredId(id)).toMatch(/^req_[0-9a-f]{32}$/);
  },
);
