import { migrateToLatest } from "../../src/store/sql/migrator.ts";
import { openDatabase } from "../../src/store/sql/open.ts";
import { createDatabase, dropDatabase } from "../../test/servers/postgres.ts";
import { makeKeys, storeKeys } from "../keys.ts";
import { drive } from "../load/connection.ts";
import { PATHS, probe, type Question, wire } from "../requests.ts";
import { startUsers } from "../users.ts";
import type { Counters } from "./probe.ts";
import { type CountingService, startCounting } from "./service.ts";

/** What one request costs, whatever the machine. */
export type Cost = Counters;

export const CASES = [
  "verify, unlimited key",
  "verify, limited key",
  "verify, publishable key with a known token",
  "/auth/check, limited key",
  "list-threads, limited key",
] as const;

export type Case = (typeof CASES)[number];
export type Costs = Readonly<Record<Case, Cost>>;

/** Enough that every path has been taken, and that what is made once has been made. */
const WARM_UP = 1_000;
const REQUESTS = 2_000;
/** Background work can only add to what a round counts, so the lowest is the least disturbed. */
const ROUNDS = 3;

/** Counts against these servers; nothing of it depends on how fast they are. */
export async function countCosts(servers: { postgresUrl: string; redisUrl: string }): Promise<Costs> {
  const keys = makeKeys(1);
  const users = await startUsers();
  const url = await createDatabase(servers.postgresUrl);
  try {
    const database = await openDatabase({ kind: "postgres", url });
    await migrateToLatest(database).finally(() => database.close());
    await storeKeys({ kind: "postgres", url }, keys, 1, users.oidc);
    const env = { DATABASE_URL: url, REDIS_URL: servers.redisUrl, JWKS_ALLOWED_HOSTS: users.host };
    const [limited = "", unlimited = "", publishable = ""] = [keys.secrets[0], keys.unlimited[0], keys.publishable[0]];
    const withToken = { "X-API-Key": publishable, Authorization: `Bearer ${users.tokens(1)[0]}` };
    const service = await startCounting(env);
    try {
      const count = (question: Question, headers: Record<string, string>) =>
        costOf(service, wire(probe(question, PATHS[question], headers)));
      return {
        "verify, unlimited key": await count("verify", { "X-API-Key": unlimited }),
        "verify, limited key": await count("verify", { "X-API-Key": limited }),
        "verify, publishable key with a known token": await count("verify", withToken),
        "/auth/check, limited key": await count("check", { "X-API-Key": limited }),
        "list-threads, limited key": await count("list-threads", { "X-API-Key": limited }),
      };
    } finally {
      await service.stop();
    }
  } finally {
    await users.close();
    await dropDatabase(servers.postgresUrl, url);
  }
}

/** One connection, one request under way: how requests meet in a turn of the event loop would be chance. */
async function costOf(service: CountingService, request: string): Promise<Cost> {
  await send(service.port, request, WARM_UP);
  const rounds: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await service.ask("collect");
    await send(service.port, request, REQUESTS);
    rounds.push(perRequest(before, await service.ask("read")));
  }
  const lowest = (member: keyof Cost) => Math.min(...rounds.map((cost) => cost[member]));
  if (process.env.SHOW) console.log(JSON.stringify(rounds));
  const before = await service.ask("promises");
  await send(service.port, request, REQUESTS);
  const { promises } = perRequest(before, await service.ask("no-promises"));
  return { bytes: lowest("bytes"), oldBytes: lowest("oldBytes"), promises, turns: lowest("turns") };
}

function perRequest(before: Counters, after: Counters): Cost {
  const each = (member: keyof Counters) => (after[member] - before[member]) / REQUESTS;
  return { bytes: each("bytes"), oldBytes: each("oldBytes"), promises: each("promises"), turns: each("turns") };
}

async function send(port: number, request: string, count: number): Promise<void> {
  const bytes = Buffer.from(request);
  let left = count;
  await drive(
    { host: "127.0.0.1", port },
    {
      next: () => (left-- > 0 ? bytes : undefined),
      pauseMs: () => 0,
      answered(status) {
        if (status !== 200) throw new Error(`${status} was answered to ${request}`);
      },
    },
  );
}
