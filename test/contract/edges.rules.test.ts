import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { expect, onTestFinished, test } from "vitest";
import { EdgeService, type ResolveResponseSchema } from "../../gen/latchkey/v1/edge_service_pb.ts";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { RULES } from "../../src/domain/edges/rules.ts";
import { createEdge, type Edge } from "../../src/edge/edge.ts";
import { EDGE_TOKEN, outcome } from "../harness/edges.ts";

type Resolved = MessageInitShape<typeof ResolveResponseSchema>;

const NO_KEY: Resolved = { record: { case: "missing", value: true }, mayKeep: true };

/** An edge of a service that decides by the rules of a version, and gives it a lease for each question. */
async function edgeUnder(
  rules: number,
  resolved: Resolved = NO_KEY,
): Promise<{ readonly edge: Edge; answered(): number }> {
  let answered = 0;
  const adapter = connectNodeAdapter({
    routes: ({ service }) =>
      service(EdgeService, {
        async *follow(requests) {
          yield { message: { case: "welcome" as const, value: { edgeId: "edge", rules, settings: {} } } };
          for await (const { message } of requests) {
            if (message.case !== "askLease") continue;
            const lease = { number: message.value.number, leftMs: 60_000, nowMs: BigInt(Date.now()) };
            yield { message: { case: "lease" as const, value: lease } };
            answered += 1;
          }
        },
        resolve: () => resolved,
        report: () => ({}),
      }),
  });
  const server = createServer(adapter);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const edge = createEdge({ baseUrl: `http://127.0.0.1:${port}`, token: EDGE_TOKEN });
  onTestFinished(async () => {
    await edge.close();
    server.close();
  });
  await edge.ready(10_000);
  return { edge, answered: () => answered };
}

test("an edge decides by its own rules where the service has the same", async () => {
  const { edge } = await edgeUnder(RULES);
  await expect.poll(() => edge.status.leaseMs).toBeGreaterThan(0);
  expect(await outcome(edge, { "x-api-key": "no key" })).toBe("api_key_invalid");
  expect(edge.status.problem).toBeUndefined();
});

// threat: G4
test.each([RULES + 1, RULES - 1, 0])("an edge decides nothing where the service has the rules %i", async (rules) => {
  const { edge, answered } = await edgeUnder(rules);
  await expect.poll(answered).toBeGreaterThan(1);
  expect(edge.status.leaseMs).toBe(0);
  expect(await outcome(edge, { "x-api-key": "no key" })).toBe("asked");
  expect(edge.status.problem).toContain("other rules");
});

// threat: G4
test.each<[string, Resolved]>([
  ["that it cannot read", { mayKeep: true }],
  ["about another subject", { record: { case: "tenantSuspended", value: false }, mayKeep: true }],
  ["without the key's limit", { record: { case: "key", value: { key: { keyId: "key_1" } } }, mayKeep: true }],
])("an edge decides nothing by a record %s", async (_, resolved) => {
  const { edge } = await edgeUnder(RULES, resolved);
  await expect.poll(() => edge.status.leaseMs).toBeGreaterThan(0);
  expect(await outcome(edge, { "x-api-key": makeSecret("secret") })).toBe("asked");
});
