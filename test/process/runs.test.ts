// promise: conversations.one-reply
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, inject, type TestContext, test } from "vitest";
import { crashTest } from "../faults/crashes.ts";
import { textsOf } from "../harness/gateway.ts";
import { startGatewayFleet } from "../harness/gateway-fleet.ts";
import { hangs, type ModelAnswer, replies, startModel } from "../harness/model.ts";
import { copyTemplate } from "../servers/embedded-template.ts";

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
});

/** A replica that works on the answer to "hello", unless the model answers at once. */
async function startRun(
  { expect, onTestFinished }: TestContext,
  env: Record<string, string>,
  ...answers: ModelAnswer[]
) {
  const model = await startModel(...answers);
  onTestFinished(model.close);
  const replicas = await startGatewayFleet(1, model, env);
  onTestFinished(replicas.close);
  const content = [{ type: "CONTENT_PART_TYPE_TEXT", content: "hello" }];
  await replicas.call("send-message", { conversation_key: "c", user_message: { role: "ROLE_USER", content } });
  await expect.poll(() => model.requests.length).toBe(1);
  const state = () => replicas.call("get-conversation-state", { conversation_key: "c", wait_ms: 20_000 });
  return { model, replicas, state };
}

/** An answer of the model that waits for the test to let it go. */
function heldReply() {
  const held = Promise.withResolvers<() => void>();
  const answer: ModelAnswer = (res, asked) => held.resolve(() => replies()(res, asked));
  return { answer, release: async () => (await held.promise)() };
}

describe.concurrent("a run under way", () => {
  // threat: H11
  test("is handed over by a replica that gets SIGTERM, and taken up without waiting for its lease", async (ctx) => {
    const { model, replicas, state } = await startRun(ctx, LONG_LEASE, hangs, replies());
    const stopping = replicas.at(0);
    expect(await stopping.end("SIGTERM")).toBe(0);
    await replicas.kill(0);
    expect(textsOf(await state())).toEqual(["hello", "reply to hello"]);
    expect(model.requests).toHaveLength(2);
  });

  test("is finished before a replica that gets SIGTERM ends, if that does not take long", async (ctx) => {
    const { answer, release } = heldReply();
    const { model, replicas, state } = await startRun(ctx, LONG_LEASE, answer);
    const stopping = replicas.at(0);
    stopping.child.kill("SIGTERM");
    await release();
    expect(await stopping.ended()).toBe(0);
    await replicas.kill(0);
    expect(textsOf(await state())).toEqual(["hello", "reply to hello"]);
    expect(model.requests).toHaveLength(1);
  });

  test("keeps its reply while the database takes none, and the model is not asked again", async (ctx) => {
    const { answer, release } = heldReply();
    const { model, replicas, state } = await startRun(ctx, LONG_LEASE, answer);
    const holder = new pg.Client({ connectionString: replicas.databaseUrl });
    await holder.connect();
    await holder.query("begin");
    await holder.query("select 1 from runs for update");
    await release();
    await replicas.at(0).waitFor(/a run could not be worked on/);
    await holder.query("rollback");
    await holder.end();
    expect(textsOf(await state())).toEqual(["hello", "reply to hello"]);
    expect(model.requests).toHaveLength(1);
  });

  test("over which one worker after the other died is given up, and says so", async (ctx) => {
    const { model, replicas, state } = await startRun(ctx, LONG_LEASE, hangs);
    const client = new pg.Client({ connectionString: replicas.databaseUrl });
    await client.connect();
    await client.query("update runs set attempts = 21, lease_until = now() - interval '1 hour'");
    await client.end();
    const { run } = await state();
    expect(run.error).toBe("The work on the message was interrupted too often; send it again.");
    expect(model.requests).toHaveLength(1);
  });

  // threat: H10
  test("survives kill -9 on the embedded store, too", async (ctx) => {
    const dataDir = await mkdtemp(join(tmpdir(), "latchkey-runs-"));
    ctx.onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
    await copyTemplate(inject("embeddedTemplate"), dataDir);
    const embedded = { DATABASE_URL: "", DATA_DIR: dataDir, TEST_RUN_LEASE_MS: "3000" };
    const { replicas, state } = await startRun(ctx, embedded, hangs, replies());
    const killed = once(replicas.at(0).child, "exit");
    await replicas.kill(0);
    expect(await killed).toEqual([null, "SIGKILL"]);
    expect(textsOf(await state())).toEqual(["hello", "reply to hello"]);
  });
});
