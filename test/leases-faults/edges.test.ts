// promise: edges.no-stale, edges.lease
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { TIMES } from "../../src/store/replicas/times.ts";
import { EDGE_TOKEN } from "../harness/edge-token.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { startProxy as startCuttableProxy } from "../servers/cuttable-proxy.ts";
import { freePort } from "../servers/free-port.ts";
import { type OwnPostgres, startOwnPostgres } from "../servers/postgres.ts";
import { startProxy, startSilentServer, type TcpProxy } from "../servers/tcp.ts";
import { type EdgeProcess, startEdgeProcess } from "./edge-process.ts";
import { type EdgeFindings, type EdgeTrials, runEdgeTrials } from "./edge-trials.ts";

/** `npm run test:faults` ends 12,000 keys, and each ending takes its turn in each fault. */
const LONG = inject("longForm");
const ROUNDS = LONG ? 12 : 1;
const KEYS = LONG ? 100 : 20;
/** A change waits no longer than the lease of an edge, where only edges fail; on a machine that does other work, too. */
const EDGE_FAULT_MS = 2 * TIMES.bound;
/** Where a replica or PostgreSQL fails it waits for the bound, and is made again. */
const REPLICA_FAULT_MS = 2 * TIMES.bound + 20_000;

let postgres: OwnPostgres;
let fleet: Fleet;
let replicas: [Replica, Replica];
const cleanUps: (() => unknown)[] = [];
const worst: string[] = [];
let begun = 0;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  fleet = await startFleet("", postgres.url);
  replicas = await Promise.all([start(), start()]);
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});
afterAll(async () => {
  console.log(`the longest change, in ms: ${worst.join(", ")}`);
  await fleet?.close();
  await postgres?.stop();
});

/** On a port of its own, so that another one can take its place. */
async function start(): Promise<Replica> {
  return fleet.start({ PORT: String(await freePort()), EDGE_TOKEN, OPERATOR_TOKEN });
}

async function startEdge(url: string): Promise<EdgeProcess> {
  const edge = await startEdgeProcess(url);
  cleanUps.push(edge.kill);
  return edge;
}

/** An edge of each replica. */
const startBoth = () => Promise.all(replicas.map(({ url }) => startEdge(url)));

interface Behind {
  readonly proxy: TcpProxy;
  readonly edge: EdgeProcess;
}

/** An edge whose way to its replica can be silenced. */
async function startBehind(replica: Replica): Promise<Behind> {
  const proxy = await startProxy(portOf(replica));
  cleanUps.push(proxy.stop);
  return { proxy, edge: await startEdge(`http://127.0.0.1:${proxy.port}`) };
}

const portOf = ({ url }: Replica): number => Number(new URL(url).port);

/** Changes are made on a replica that the edge does not follow, and on its own, in turn. */
async function check(
  name: string,
  trials: Pick<EdgeTrials, "edges" | "fault"> & Partial<EdgeTrials>,
  boundMs = EDGE_FAULT_MS,
): Promise<EdgeFindings> {
  begun += 1;
  const changer = replicas[begun % 2] as Replica;
  const found = await runEdgeTrials({ fleet, changer, keys: KEYS, round: begun, ...trials });
  worst.push(`${name} ${Math.round(found.worstMs)}`);
  expect(found.stale).toBe(0);
  expect(found.worstMs).toBeLessThan(boundMs);
  return found;
}

const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
/** For how long an edge is gone: shorter and longer than a lease, and than a stream survives. */
const goneMs = () => 1_000 + (LONG ? 9_000 : 2_500) * Math.random();

describe.each(rounds)("a change that was answered is accepted by no edge, round %i,", () => {
  test("while edges of both replicas work", async () => {
    const edges = await startBoth();
    await check("undisturbed", { edges, fault: async () => undefined });
  });

  // threat: G2
  test("while one is stopped, and continued at the answer or at some time", async () => {
    const edges = await startBoth();
    for (const until of [(answered: Promise<unknown>) => answered, () => sleep(goneMs())]) {
      await check("stopped", {
        edges,
        async fault(answered) {
          edges[0]?.pause();
          await until(answered);
          edges[0]?.resume();
        },
      });
    }
  });

  // threat: G2
  test("while one is cut off without a word, both ways or one", async () => {
    const { proxy, edge } = await startBehind(replicas[0]);
    const silent = await startSilentServer();
    cleanUps.push(silent.stop);
    const other = await startEdge(replicas[1].url);
    for (const silence of [proxy.silenceOpenConnections, proxy.silenceAnswers]) {
      await check("cut off", {
        edges: [edge, other],
        async fault(answered) {
          proxy.redirect(silent.port);
          silence();
          await Promise.all([answered, sleep(goneMs())]);
          proxy.redirect(portOf(replicas[0]));
        },
      });
    }
  });

  test("while one is killed", async () => {
    const [one, other] = await Promise.all([startEdge(replicas[0].url), startEdge(replicas[0].url)]);
    await check("killed", { edges: [one, other], survivors: [other], fault: () => one.kill() });
  });

  test("while the clock of one stands, and it is cut off and stopped", async () => {
    const { proxy, edge } = await startBehind(replicas[0]);
    await check("clock stands", {
      edges: [edge],
      async fault(answered) {
        await edge.stand();
        proxy.silenceOpenConnections();
        edge.pause();
        await answered;
        edge.resume();
        await sleep(500);
        await edge.goOn();
      },
    });
  });

  test("while they move between replicas", async () => {
    const proxy = await startCuttableProxy(portOf(replicas[0]));
    cleanUps.push(proxy.stop);
    const edge = await startEdge(`http://127.0.0.1:${proxy.port}`);
    await check("moved", {
      edges: [edge],
      async fault(answered) {
        let isOver = false;
        void answered.then(() => {
          isOver = true;
        });
        for (let n = 1; !isOver; n++) {
          proxy.redirect(portOf(replicas[n % 2] as Replica));
          await sleep(50 + 300 * Math.random());
        }
      },
    });
  });

  // threat: G2
  test("while its replica is killed, and another one takes its place", async () => {
    const edges = await startBoth();
    await check(
      "replica killed",
      {
        edges,
        changer: replicas[1],
        async fault() {
          replicas[0] = await fleet.replace(replicas[0]);
        },
      },
      REPLICA_FAULT_MS,
    );
  });

  test("while PostgreSQL is restarted", async () => {
    const edges = await startBoth();
    await check(
      "PostgreSQL restarted",
      {
        edges,
        async fault() {
          await postgres.crash();
          await postgres.restart();
        },
      },
      REPLICA_FAULT_MS,
    );
  });
});
