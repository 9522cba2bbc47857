// promise: conversations.wait, paths.deadline
import { request } from "node:http";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GatewayService } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { backendOf } from "../harness/gateway.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { type Model, replies, startModel } from "../harness/model.ts";

let model: Model;
let latchkey: Latchkey;
/** Lets the model answer the held request, and every later one at once. */
let release: () => void;

beforeAll(async () => {
  model = await startModel();
  latchkey = await startLatchkey({ config: { assistant: model.config({ timeoutMs: 60_000 }) } });
});
afterAll(async () => {
  await latchkey.close();
  await model.close();
});

async function waiting(service = latchkey): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^latchkey_waiting_readers (\d+)$/m.exec(metrics)?.[1]);
}

/** A conversation whose reply the model holds back. */
async function unanswered(service = latchkey) {
  const held = Promise.withResolvers<() => void>();
  model.answer((res, request) => held.resolve(() => replies()(res, request)));
  const dashboard = await service.dashboard();
  const { bare } = await backendOf(service, dashboard);
  await bare.send("c", "hello");
  const answer = await held.promise;
  model.answer(replies());
  release = answer;
  return { caller: bare, dashboard };
}

describe("a reader that waits", () => {
  test("is answered with the reply when the run ends, and so are all other waiting readers", async () => {
    const { caller } = await unanswered();
    const reads = Promise.all(Array.from({ length: 20 }, () => caller.texts("c")));
    await expect.poll(() => waiting(), { timeout: 20_000 }).toBe(20);
    release();
    for (const texts of await reads) expect(texts).toEqual(["hello", "reply to hello"]);
    expect(await waiting()).toBe(0);
  });

  test("is answered with the current state when wait_ms is over", async () => {
    const { caller } = await unanswered();
    const before = performance.now();
    const { json } = await caller.state("c", { wait_ms: 300 });
    expect(performance.now() - before).toBeGreaterThanOrEqual(295);
    expect([json.status, json.run.status]).toEqual(["CONVERSATION_STATUS_RUNNING", "RUN_STATUS_RUNNING"]);
    expect(json.messages).toHaveLength(1);
    release();
  });

  test.each(["/api/v1/llm/gateway/get-conversation-state", "/latchkey.v1.GatewayService/GetConversationState"])(
    "gets deadline_exceeded at %s when its deadline passes, and stops waiting",
    async (path) => {
      const { dashboard } = await unanswered();
      const body = { conversation_key: "c", wait_ms: 30_000 };
      const { status, json } = await latchkey.call(path, body, { ...dashboard, "connect-timeout-ms": "300" });
      expect([status, json.code]).toEqual([504, "deadline_exceeded"]);
      await expect.poll(() => waiting(), { timeout: 20_000 }).toBe(0);
      release();
    },
  );

  test("gets deadline_exceeded over gRPC when its deadline passes", async () => {
    const { dashboard } = await unanswered();
    const client = createClient(GatewayService, createGrpcTransport({ baseUrl: latchkey.url }));
    // Not as an option, by which the client would end the call itself.
    const headers = { ...dashboard, "grpc-timeout": "300m" };
    const read = client.getConversationState({ conversationKey: "c", waitMs: 30_000 }, { headers });
    await expect(read).rejects.toMatchObject({
      code: Code.DeadlineExceeded,
      rawMessage: expect.stringContaining("not known"),
    });
    release();
  });

  test("stops waiting when its client disconnects", async () => {
    const { dashboard } = await unanswered();
    const path = `${latchkey.url}/api/v1/llm/gateway/get-conversation-state`;
    const headers = { ...dashboard, "content-type": "application/json" };
    const leaver = request(path, { method: "POST", headers });
    leaver.on("error", () => undefined);
    leaver.end(JSON.stringify({ conversation_key: "c", wait_ms: 30_000 }));
    await expect.poll(() => waiting(), { timeout: 20_000 }).toBe(1);
    leaver.destroy();
    await expect.poll(() => waiting(), { timeout: 20_000 }).toBe(0);
    release();
  });

  test("is answered at once when the service stops, which then lets the run under way end", async () => {
    const stopping = await startLatchkey({ config: { assistant: model.config({ timeoutMs: 60_000 }) } });
    const { caller } = await unanswered(stopping);
    const read = caller.state("c", { wait_ms: 30_000 });
    await expect.poll(() => waiting(stopping), { timeout: 20_000 }).toBe(1);
    const closing = stopping.close();
    expect((await read).json.run.status).toBe("RUN_STATUS_RUNNING");
    release();
    await closing;
    expect(stopping.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});
