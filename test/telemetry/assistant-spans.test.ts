import { expect, onTestFinished, test } from "vitest";
import { startCollector } from "../harness/collector.ts";
import { gatewayCaller } from "../harness/gateway.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { fails, MODEL_KEY, replies, startModel } from "../harness/model.ts";
import { tracingTo } from "../harness/tracing-config.ts";

test("each call of the model is a span with its tokens or its failure, and without any text", async () => {
  const collector = await startCollector();
  const model = await startModel(replies("said by the model"), fails(400));
  const config = { tracing: tracingTo(collector.url), assistant: model.config() };
  const latchkey = await startLatchkey({ config });
  onTestFinished(async () => {
    await latchkey.close();
    await model.close();
    await collector.close();
  });
  const { key } = await latchkey.createKey(await latchkey.dashboard());
  const caller = gatewayCaller(latchkey, { "x-api-key": key });
  for (const conversation of ["one", "two"]) {
    await caller.send(conversation, "said by the user");
    await caller.texts(conversation);
  }

  const calls = () => collector.spans.filter(({ kind }) => kind === "CLIENT");
  await expect.poll(calls).toHaveLength(2);
  const request = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "test-model",
    "server.address": "127.0.0.1",
    "server.port": Number(new URL(model.url).port),
  };
  expect(calls()).toEqual([
    expect.objectContaining({
      name: "chat test-model",
      isError: false,
      attributes: { ...request, "gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 3 },
    }),
    expect.objectContaining({ isError: true, attributes: { ...request, "error.type": "refused" } }),
  ]);
  for (const secret of ["said by", MODEL_KEY, key]) expect(collector.text()).not.toContain(secret);
});
