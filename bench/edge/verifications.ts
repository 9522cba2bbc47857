import { setImmediate as turn } from "node:timers/promises";
import { Redis } from "ioredis";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { Client } from "undici";
import { hashSecret } from "../../src/domain/credentials/secret.ts";
import type { Awaitable } from "../../src/domain/vocabulary/awaitable.ts";
import type { Edge } from "../../src/edge/edge.ts";
import type { EdgeVerdict } from "../../src/edge/verdicts.ts";
import { credentialHeaders, PATHS } from "../requests.ts";
import { markdownTable } from "../table.ts";
import type { World } from "../world.ts";
import { type EdgeHost, rawHeaders, startEdge } from "./service.ts";

/** What one verification takes in the process of a guard, one after the other, by ways that are measured in turn. */

interface Way {
  readonly name: string;
  /** How many requests there are. Each is made once before anything counts. */
  readonly requests: number;
  /** Before a round, so long. Slices are as large as the use of a key in the second before. Default: none. */
  readonly leadInMs?: number;
  /** Whether the request is admitted. `n`: which of them it is. */
  verify(n: number): Awaitable<boolean>;
}

interface Round {
  readonly micros: number;
  /** Of all threads of this process, with what it does by the clock. */
  readonly cpuMicros: number;
}

const SCOPE = "conversations:read";
/** Then other work of the process has its turn, as a lease that arrives. */
const AT_ONCE = 200;
const WARM_UP_MS = 1_000;
const ROUND_MS = 400;
const SECOND_MS = 1_000;
const IN_MEMORY_MS = 10_000;
const RECORDS_MAX = 10_000;
const KEYS = 100;
/** Few, since slices are as large as the use of a key. */
const LIMITED_KEYS = 10;
const CONCURRENT = 20;

export async function verifications(world: World, host: EdgeHost, rounds: number): Promise<string> {
  const edge = await startEdge(host);
  const redis = new Redis(world.redisUrl);
  const client = new Client(host.url);
  try {
    const ways = [
      ...edgeWays(world, edge),
      cacheWay(world),
      await tokenWay(world),
      await redisWay(world, redis),
      callWay(world, client),
    ];
    const { decided, asked } = edge.status;
    const compared = await compare(ways, rounds);
    const [decidedNow, askedNow] = [edge.status.decided - decided, edge.status.asked - asked];
    return `${compared}\n\nThe edge decided ${whole(decidedNow)} and left ${whole(askedNow)} to the service.`;
  } finally {
    await Promise.all([edge.close(), client.close()]);
    redis.disconnect();
  }
}

function edgeWays(world: World, edge: Edge): Way[] {
  const way = (name: string, kind: "unlimited-secret" | "secret" | "repeated-token", requests: number): Way => {
    const questions = credentialHeaders(world, kind, 1)
      .slice(0, requests)
      .map((headers) => ({ headers: rawHeaders(headers), scopes: [SCOPE], cost: undefined }));
    return {
      name,
      requests,
      verify(n) {
        const verdict = edge.verify(at(questions, n));
        return verdict instanceof Promise ? verdict.then(isNotRefused) : isNotRefused(verdict);
      },
    };
  };
  return [
    way("edge, secret key without a limit", "unlimited-secret", KEYS),
    { ...way("edge, secret key with a limit", "secret", LIMITED_KEYS), leadInMs: SECOND_MS },
    { ...way("edge, publishable key and a known token", "repeated-token", LIMITED_KEYS), leadInMs: SECOND_MS },
  ];
}

/** Without a verdict the service is asked, which is counted by the edge. */
function isNotRefused(verdict: EdgeVerdict | undefined): boolean {
  return verdict?.kind !== "refused";
}

interface CachedRecord {
  readonly permissions: readonly string[];
  readonly revokedAt: number | null;
}

/** What many services have: it admits a revoked key for ten seconds, counts nothing and limits nothing. */
function cacheWay({ keys }: World): Way {
  const cache = new LRUCache<string, CachedRecord>({ max: RECORDS_MAX, ttl: IN_MEMORY_MS });
  return {
    name: "lru-cache, 10 s, by the key's hash",
    requests: KEYS,
    verify(n) {
      const hash = hashSecret(at(keys.unlimited, n));
      let record = cache.get(hash);
      if (record === undefined) {
        record = { permissions: [SCOPE], revokedAt: null };
        cache.set(hash, record);
      }
      return record.revokedAt === null && record.permissions.includes(SCOPE);
    },
  };
}

async function tokenWay({ users }: World): Promise<Way> {
  const { jwksUrl, issuer, audience } = users.oidc;
  const keys = (await (await fetch(jwksUrl)).json()) as JSONWebKeySet;
  const keySet = createLocalJWKSet(keys);
  const tokens = users.tokens(KEYS);
  return {
    name: "jose.jwtVerify, ES256, key in memory",
    requests: KEYS,
    verify: async (n) => (await jwtVerify(at(tokens, n), keySet, { issuer, audience })).payload.iss === issuer,
  };
}

async function redisWay({ keys }: World, redis: Redis): Promise<Way> {
  const record: CachedRecord = { permissions: [SCOPE], revokedAt: null };
  const place = (secret: string) => `bench-record:${hashSecret(secret)}`;
  await Promise.all(keys.unlimited.map((secret) => redis.set(place(secret), JSON.stringify(record))));
  return {
    name: "Redis, GET by the key's hash",
    requests: KEYS,
    async verify(n) {
      const text = await redis.get(place(at(keys.unlimited, n)));
      if (text === null) return false;
      const { permissions, revokedAt } = JSON.parse(text) as CachedRecord;
      return revokedAt === null && permissions.includes(SCOPE);
    },
  };
}

function callWay({ keys }: World, client: Client): Way {
  const body = JSON.stringify({ scopes: [SCOPE] });
  return {
    name: "Verify over HTTP, keep-alive, loopback",
    requests: KEYS,
    async verify(n) {
      const headers = { "content-type": "application/json", "x-api-key": at(keys.unlimited, n) };
      const answer = await client.request({ method: "POST", path: PATHS.verify, headers, body });
      await answer.body.json();
      return answer.statusCode === 200;
    },
  };
}

function at<Item>(items: readonly Item[], n: number): Item {
  const item = items[n % items.length];
  if (item === undefined) throw new Error("there is nothing to verify");
  return item;
}

async function compare(ways: readonly Way[], rounds: number): Promise<string> {
  for (const way of ways) {
    for (let n = 0; n < way.requests; n += CONCURRENT)
      await Promise.all(Array.from({ length: CONCURRENT }, (_, next) => way.verify(n + next)));
  }
  for (const way of ways) await round(way, WARM_UP_MS);
  const measured = new Map<Way, Round[]>(ways.map((way) => [way, []]));
  for (let n = 0; n < rounds; n++) {
    for (const [way, all] of measured) {
      if (way.leadInMs !== undefined) await round(way, way.leadInMs);
      all.push(await round(way, ROUND_MS));
    }
  }
  const medians = ways.map((way) => {
    const all = measured.get(way) ?? [];
    return { name: way.name, micros: median(all, "micros"), cpuMicros: median(all, "cpuMicros"), all };
  });
  const reference = medians.find(({ name }) => name.startsWith("jose"))?.micros ?? Number.NaN;
  const rows = medians.map(({ name, micros, cpuMicros, all }) => {
    const each = all.map((one) => one.micros);
    return [
      name,
      micros.toFixed(1),
      `${Math.min(...each).toFixed(1)} to ${Math.max(...each).toFixed(1)}`,
      (micros / reference).toFixed(3),
      cpuMicros.toFixed(1),
    ];
  });
  return markdownTable(["", "µs", "of rounds", "× jwtVerify", "CPU µs"], rows);
}

async function round({ name, verify }: Way, ms: number): Promise<Round> {
  const before = process.cpuUsage();
  let [spentMs, count] = [0, 0];
  while (spentMs < ms) {
    const startedAt = performance.now();
    for (let n = 0; n < AT_ONCE; n++) {
      const verified = verify(count + n);
      // What is decided at once is not waited for: a guard need not either.
      const isAdmitted = verified instanceof Promise ? await verified : verified;
      if (!isAdmitted) throw new Error(`${name}: a known key was not admitted`);
    }
    spentMs += performance.now() - startedAt;
    count += AT_ONCE;
    await turn();
  }
  const { user, system } = process.cpuUsage(before);
  return { micros: (1_000 * spentMs) / count, cpuMicros: (user + system) / count };
}

function whole(value: number): string {
  return value.toLocaleString("en");
}

function median(rounds: readonly Round[], member: keyof Round): number {
  const sorted = rounds.map((one) => one[member]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
