import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { gatewayCaller } from "../harness/gateway.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { type Model, type ModelAnswer, replies, startModel } from "../harness/model.ts";
import { HOUR } from "../harness/test-clock.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

const serverUrl = inject("postgresUrl");

let url: string;
let model: Model;
let replicas: Latchkey[];

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  model = await startModel();
  replicas = [];
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await model.close();
  await dropDatabase(serverUrl, url);
});

/** One that acts on announcements alone: it would look by itself after an hour only. */
async function startReplica(): Promise<Latchkey> {
  const storage = { kind: "postgres", url } as const;
  const config = { storage, assistant: model.config(), runsAtOnce: 1 };
  const replica = await startLatchkey({ config, runPollMs: HOUR });
  replicas.push(replica);
  return replica;
}

test("another replica takes the work of a busy one at once, and notifies waiting callers of the end", async () => {
  const held = Promise.withResolvers<() => void>();
  const hold: ModelAnswer = (res, asked) => held.resolve(() => replies()(res, asked));
  model.answer(hold, replies());
  const busy = await startReplica();
  const { key } = await busy.createKey(await busy.dashboard());
  const caller = gatewayCaller(busy, { "x-api-key": key });
  await caller.send("keeps it busy", "hello");
  const release = await held.promise;
  await startReplica();

  for (let n = 0; n < 5; n++) {
    await caller.send(`conversation ${n}`, "hello");
    expect(await caller.texts(`conversation ${n}`)).toEqual(["hello", "reply to hello"]);
  }
  release();
  expect(await caller.texts("keeps it busy")).toHaveLength(2);
});
