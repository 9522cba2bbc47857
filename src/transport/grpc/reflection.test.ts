import { createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { createReflectionServices } from "./reflection.ts";

test("requests that arrive together are answered one per turn of the event loop", async () => {
  const { v1 } = createReflectionServices([ServerReflection], []);
  const client = createClient(
    ServerReflection,
    createRouterTransport(({ service }) => service(ServerReflection, v1)),
  );
  async function* questions() {
    for (let n = 0; n < 100; n++) yield { messageRequest: { case: "listServices" as const, value: "" } };
  }
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  let answers = 0;
  for await (const { messageResponse } of client.serverReflectionInfo(questions())) {
    expect(messageResponse.case).toBe("listServicesResponse");
    answers++;
  }
  clearImmediate(next);
  expect(answers).toBe(100);
  expect(turns).toBeGreaterThanOrEqual(99);
});
