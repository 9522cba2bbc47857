import { once } from "node:events";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { crashTest } from "../faults/crashes.ts";
import { textsOf } from "../harness/gateway.ts";
import { type GatewayFleet, startGatewayFleet } from "../harness/gateway-fleet.ts";
import { hangs, type Model, replies, startModel } from "../harness/model.ts";

/** So long that nothing in these tests can be the end of a lease. */
const LONG_LEASE = { TEST_RUN_LEASE_MS: "600000" };

test("messages get one reply each, in order, while replicas are killed", async () => {
  const { interrupted } = await crashTest({
    replicas: 2,
    conversations: 6,
    messagesEach: 8,
    kills: 3,
    pauseMs: 700,
    thinkMs: 600,
    leaseMs: 500,
  });
  // Else the kills hit nothing and the test showed nothing.
  expect(interrupted).toBeGreaterThan(0);
}, 60_000);

describe("a run under way", () => {
  let model: Model;
  let replicas: GatewayFleet;
  beforeEach(async () => {
    model = await startModel();
  });
  afterEach(async () => {
    await replicas.close();
    await model.close();
  });

  async function send(): Promise<void> {
    const content = [{ type: "CONTENT_PART_TYPE_TEXT", content: "hello" }];
    await replicas.call("send-message", { conversation_key: "c", user_message: { role: "ROLE_USER", content } });
    await expect.poll(() => model.requests.length).toBe(1);
  }

  const state = () => replicas.call("get-conversation-state", { conversation_key: "c", wait_ms: 20_000 });

  test("is handed over by a replica that is told to stop, and taken up without waiting for its lease", async () => {
    model.answer(hangs, replies());
    replicas = await startGatewayFleet(1, model, LONG_LEASE);
    await send();
    const stopping = replicas.at(0);
    expect(await stopping.end("SIGTERM")).toBe(0);
    await replicas.kill(0);
    expect(textsOf(await state())).toEqual(["hello", "reply to hello"]);
    expect(model.requests).toHaveLength(2);
  });

  test("is finished before a replica that is told to stop ends, if that does not take long", async () => {
    const held = Promise.withResolvers<() => void>();
    model.answer((res, asked) => held.resolve(() => replies()(res, asked)));
    replicas = await startGatewayFleet(1, model, LONG_LEASE);
    await send();
    const stopping = replicas.at(0);
    stopping.child.kill("SIGTERM");
    (await held.promise)();
    expect(await stopping.ended()).toBe(0);
    await replicas.kill(0);
    expect(textsOf(await state())).toEqual(["hello", "reply to hello"]);
    expect(model.requests).toHaveLength(1);
  });

  test("keeps its reply while the database takes none, and the model is not asked again", async () => {
    const held = Promise.withResolvers<() => void>();
    model.answer((res, asked) => held.resolve(() => replies()(res, asked)));
    replicas = await startGatewayFleet(1, model, LONG_LEASE);
    await send();
    const answer = await held.promise;
    const holder = new pg.Client({ connectionString: replicas.databaseUrl });
    await holder.connect();
    await holder.query("begin");
    await holder.query("select 1 from runs for update");
    answer();
    await replicas.at(0).waitFor(/a run could not be worked on/);
    await holder.query("rollback");
    await holder.end();
    expect(textsOf(await state())).toEqual(["hello", "reply to hello"]);
    expect(model.requests).toHaveLength(1);
  });

  test("over which one worker after the other died is given up, and says so", async () => {
    model.answer(hangs);
    replicas = await startGatewayFleet(1, model, LONG_LEASE);
    await send();
    const client = new pg.Client({ connectionString: replicas.databaseUrl });
    await client.connect();
    await client.query("update runs set attempts = 21, lease_until = now() - interval '1 hour'");
    await client.end();
    const { run } = await state();
    expect(run.error).toBe("The work on the message was interrupted too often; send it again.");
    expect(model.requests).toHaveLength(1);
  });

  test("survives kill -9 on the embedded store, too", async () => {
    model.answer(hangs, replies());
    const embedded = { DATABASE_URL: "", DATA_DIR: "data", TEST_RUN_LEASE_MS: "3000" };
    replicas = await startGatewayFleet(1, model, embedded);
    await send();
    const killed = once(replicas.at(0).child, "exit");
    await replicas.kill(0);
    expect(await killed).toEqual([null, "SIGKILL"]);
    expect(textsOf(await state())).toEqual(["hello", "reply to hello"]);
  }, 90_000);
});
