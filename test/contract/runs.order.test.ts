import { afterAll, beforeAll, expect, test } from "vitest";
import { backendOf } from "../harness/gateway.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { type Model, replies, startModel } from "../harness/model.ts";

const RUNS_AT_ONCE = 8;

let model: Model;
let latchkey: Latchkey;

beforeAll(async () => {
  model = await startModel();
  latchkey = await startLatchkey({ config: { assistant: model.config(), runsAtOnce: RUNS_AT_ONCE } });
});
afterAll(async () => {
  await latchkey.close();
  await model.close();
});

test("thirty concurrent conversations are answered several at a time, each in order and one run at a time", async () => {
  let [atWork, atWorkMax] = [0, 0];
  const busy = new Set<string>();
  const overlaps: string[] = [];
  const full = Promise.withResolvers<void>();
  model.answer((res, request) => {
    // A conversation is known by its first message.
    const name: string = request.body.messages[0].content;
    if (busy.has(name)) overlaps.push(name);
    busy.add(name);
    atWork += 1;
    atWorkMax = Math.max(atWorkMax, atWork);
    // All places are taken; a run too many would begin within the time that these take.
    if (atWork === RUNS_AT_ONCE) setTimeout(full.resolve, 200);
    void full.promise.then(() => {
      busy.delete(name);
      atWork -= 1;
      replies()(res, request);
    });
  });
  const { bare } = await backendOf(latchkey, await latchkey.dashboard());
  const keys = Array.from({ length: 30 }, (_, n) => `conversation ${n}`);
  const texts = (key: string) => ["1", "2", "3"].map((each) => `${key}: ${each}`);
  await Promise.all(
    keys.map(async (key) => {
      for (const text of texts(key)) await bare.send(key, text);
    }),
  );
  for (const key of keys) {
    expect(await bare.texts(key)).toEqual(texts(key).flatMap((text) => [text, `reply to ${text}`]));
  }
  expect(overlaps).toEqual([]);
  expect(atWorkMax).toBe(RUNS_AT_ONCE);
});
