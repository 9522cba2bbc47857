// promise: edges.limits, edges.grants, edges.remaining
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import type { Edge } from "../../src/edge/edge.ts";
import { EDGE_TOKEN, leased, outcome, startEdge } from "../harness/edges.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { startEdgeProcess } from "../leases-faults/edge-process.ts";
import { startProxy } from "../servers/cuttable-proxy.ts";
import { copyDatabase } from "../servers/postgres.ts";

let replicas: Latchkey[];

beforeAll(async () => {
  const url = await copyDatabase(inject("servingTemplate").adminUrl);
  const config = {
    storage: { kind: "postgres", url },
    redis: redisAt(inject("redisUrl")),
    edgeTokens: [EDGE_TOKEN],
  } as const;
  // The first one migrates.
  replicas = [await startLatchkey({ config }), await startLatchkey({ config })];
});
afterAll(async () => void (await Promise.all((replicas ?? []).map((replica) => replica.close()))));

const replicaOf = (n: number): Latchkey => replicas[n % 2] as Latchkey;
const startThree = (): Promise<Edge[]> => Promise.all([0, 1, 2].map((n) => startEdge(replicaOf(n).url)));

async function countAdmitted(edges: readonly Edge[], key: string, count: number): Promise<number> {
  const calls = Array.from({ length: count }, (_, n) => outcome(edges[n % edges.length] as Edge, { "x-api-key": key }));
  return (await Promise.all(calls)).filter((one) => one === "admitted").length;
}

// threat: G5
test.each([100, 7])("1,000 requests at once over three edges of two replicas admit exactly %i", async (limit) => {
  const edges = await startThree();
  const { key } = await replicaOf(0).createKey(await replicaOf(0).dashboard(), {
    rate_limit: { requests_per_hour: limit },
  });
  expect(await countAdmitted(edges, key, 1_000)).toBe(limit);
  expect(await countAdmitted(edges, key, 30)).toBe(0);
});

test("what edges hold and do not spend comes back by itself, so that others spend it", async () => {
  const [one, other] = await startThree();
  const { key } = await replicaOf(0).createKey(await replicaOf(0).dashboard(), {
    rate_limit: { requests_per_hour: 100 },
  });
  let admitted = await countAdmitted([one as Edge], key, 5);
  const spendAll = async (): Promise<number> => {
    admitted += await countAdmitted([other as Edge], key, 100);
    return admitted;
  };
  await expect.poll(spendAll, { interval: 100 }).toBe(100);
  expect(await countAdmitted([one as Edge, other as Edge], key, 50)).toBe(0);
});

test("an edge that is killed takes its slice with it, a tenth of the budget at most", async () => {
  const killed = await startEdgeProcess(replicaOf(0).url);
  const others = await startThree();
  const { key } = await replicaOf(0).createKey(await replicaOf(0).dashboard(), {
    rate_limit: { requests_per_hour: 100 },
  });
  expect(await killed.verify([key])).toEqual(["admitted"]);
  await killed.kill();
  const admitted = 1 + (await countAdmitted(others, key, 300));
  expect(admitted).toBeGreaterThanOrEqual(90);
  expect(admitted).toBeLessThanOrEqual(100);
});

test("an edge that moves to another replica loses what it does not spend of its slice, and no request more is admitted", async () => {
  const portOf = (n: number): number => Number(new URL(replicaOf(n).url).port);
  const proxy = await startProxy(portOf(0));
  onTestFinished(() => proxy.stop());
  const moving = await startEdge(`http://127.0.0.1:${proxy.port}`);
  const [other] = await startThree();
  const { key } = await replicaOf(0).createKey(await replicaOf(0).dashboard(), {
    rate_limit: { requests_per_hour: 100 },
  });
  let admitted = await countAdmitted([moving], key, 3);
  expect(admitted).toBe(3);
  proxy.redirect(portOf(1));
  await expect.poll(() => moving.status.isConnected).toBe(false);
  await leased(moving);
  const spendAll = async (edges: readonly Edge[]): Promise<number> => {
    admitted += await countAdmitted(edges, key, 150);
    return admitted;
  };
  await expect.poll(() => spendAll([other as Edge]), { interval: 100 }).toBeGreaterThanOrEqual(90);
  expect(await spendAll([moving, other as Edge])).toBeLessThanOrEqual(100);
});
