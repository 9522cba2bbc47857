// promise: edges.streams
import { once } from "node:events";
import { connect } from "node:http2";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect, onTestFinished, test } from "vitest";
import { EdgeService, type FollowResponseSchema } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { ownService } from "../../src/transport/grpc/open-services.ts";
import { edgeClient, followRaw } from "../harness/edge-clients.ts";
import { LIMITS } from "../harness/listen-options.ts";
import { startOpenServices } from "../harness/open-services.ts";

const limits = { ...LIMITS, headersTimeoutMs: 200, requestTimeoutMs: 200 };

async function startFollowed(isAdmitted: boolean): Promise<string> {
  const edges = ownService(EdgeService, {
    async *follow(requests): AsyncGenerator<MessageInitShape<typeof FollowResponseSchema>> {
      if (!isAdmitted) await new Promise(() => {});
      yield { message: { case: "welcome", value: {} } };
      for await (const { message } of requests) {
        if (message.case === "askLease") yield { message: { case: "lease", value: { number: message.value.number } } };
      }
    },
    resolve: () => ({}),
    report: () => ({}),
  });
  const server = await startOpenServices(async () => true, {}, { own: [edges], limits });
  onTestFinished(() => server.close(0));
  return server.url;
}

/** Resolves when a request that is never complete has come to the end of its time. */
async function requestTimedOut(url: string, path: string): Promise<void> {
  const session = connect(url);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc" });
  stream.on("error", () => {});
  await once(stream.resume(), "close");
}

test("a stream that its service has admitted outlasts the time limit of requests", async () => {
  const url = await startFollowed(true);
  const follower = await followRaw(edgeClient(url));
  // It began later, and is ended.
  await requestTimedOut(url, "/grpc.health.v1.Health/Check");
  follower.send({ case: "askLease", value: { number: 7n } });
  let lease = await follower.next("lease");
  while (lease !== undefined && lease.number !== 7n) lease = await follower.next("lease");
  expect(lease?.number).toBe(7n);
});

test("a stream that is not admitted has no more time than a request", async () => {
  await requestTimedOut(await startFollowed(false), "/latchkey.v1.EdgeService/Follow");
});
