import {
  bareHttp,
  type Contestant,
  latchkeyEmbedded,
  latchkeyRedis,
  latchkeyRedisQuiet,
  latchkeyReplicas,
  redisHttp,
  stockConnect,
  tokenCheckByCrypto,
  tokenCheckByJose,
  withKeysInUse,
} from "./contestants.ts";
import type { Credentials, Question } from "./requests.ts";
import {
  betterAuthPostgres,
  betterAuthRedis,
  fastifyLogging,
  fastifyMemory,
  fastifyPostgres,
  fastifyRemembering,
  onNode20,
} from "./rivals.ts";

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly question: Question;
  readonly credentials: Credentials;
  /** In the order of the table; the first one is what the others are compared with. */
  readonly contestants: readonly Contestant[];
}

const BASELINES = [bareHttp, stockConnect];
const TOKEN_BASELINES = [...BASELINES, tokenCheckByJose, tokenCheckByCrypto];

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "verify-redis",
    title: "POST /api/v1/auth/verify with a secret key, PostgreSQL and Redis",
    question: "verify",
    credentials: "secret",
    contestants: [
      ...BASELINES,
      redisHttp,
      latchkeyRedis,
      latchkeyRedisQuiet,
      fastifyPostgres,
      fastifyRemembering,
      fastifyLogging,
      betterAuthRedis,
      betterAuthPostgres,
    ],
  },
  {
    name: "verify-redis-node-20",
    title: "POST /api/v1/auth/verify with a secret key, PostgreSQL and Redis, all others on Node 20",
    question: "verify",
    credentials: "secret",
    contestants: [
      bareHttp,
      latchkeyRedis,
      ...[
        bareHttp,
        redisHttp,
        stockConnect,
        fastifyPostgres,
        fastifyRemembering,
        betterAuthRedis,
        betterAuthPostgres,
      ].map(onNode20),
    ],
  },
  {
    name: "verify-embedded",
    title: "POST /api/v1/auth/verify with a secret key, everything in one process",
    question: "verify",
    credentials: "secret",
    contestants: [...BASELINES, latchkeyEmbedded, fastifyMemory],
  },
  {
    name: "check-redis",
    title: "GET /auth/check with a secret key, PostgreSQL and Redis",
    question: "check",
    credentials: "secret",
    contestants: [bareHttp, latchkeyRedis, fastifyPostgres, fastifyRemembering],
  },
  {
    name: "check-embedded",
    title: "GET /auth/check with a secret key, everything in one process",
    question: "check",
    credentials: "secret",
    contestants: [bareHttp, latchkeyEmbedded, fastifyMemory],
  },
  {
    name: "publishable",
    title: "POST /api/v1/auth/verify with a publishable key and an ES256 token, every token new",
    question: "verify",
    credentials: "fresh-token",
    contestants: [...TOKEN_BASELINES, latchkeyRedis, fastifyPostgres, fastifyRemembering],
  },
  {
    name: "publishable-repeated",
    title: "POST /api/v1/auth/verify with a publishable key and one of 1,000 ES256 tokens",
    question: "verify",
    credentials: "repeated-token",
    contestants: [...TOKEN_BASELINES, latchkeyRedis, fastifyPostgres, fastifyRemembering],
  },
  {
    name: "list-threads",
    title: "POST /api/v1/llm/gateway/list-threads with a secret key, PostgreSQL and Redis",
    question: "list-threads",
    credentials: "secret",
    contestants: [bareHttp, latchkeyRedis],
  },
  {
    name: "replicas",
    title: "POST /api/v1/auth/verify with a secret key, one replica and two on the same core",
    question: "verify",
    credentials: "secret",
    contestants: [bareHttp, latchkeyRedis, latchkeyReplicas],
  },
  {
    name: "keys-in-use",
    title: "POST /api/v1/auth/verify with few and with many keys in use of one table, PostgreSQL and Redis",
    question: "verify",
    credentials: "secret",
    contestants: [latchkeyRedis, fastifyPostgres, fastifyRemembering].flatMap((contestant) =>
      [1_000, 50_000].map((count) => withKeysInUse(contestant, count)),
    ),
  },
];

/** What a run without arguments measures. */
export const MAIN_SCENARIOS = ["verify-redis", "verify-embedded", "check-redis", "publishable"];
