import { embeddedBefore, postgresBefore, redisBefore } from "./before.ts";
import {
  bareHttp,
  type Contestant,
  latchkeyEmbedded,
  latchkeyPostgres,
  latchkeyRedis,
  latchkeyRedisQuiet,
  latchkeyReplicas,
  latchkeyTokens,
  redisHttp,
  stockConnect,
  tokenCheckByCrypto,
  tokenCheckByJose,
  withKeysInUse,
} from "./contestants.ts";
import { nginxMemory, nginxRedis, nginxReplicas } from "./nginx.ts";
import type { Credentials, Question } from "./requests.ts";
import {
  betterAuthPostgres,
  betterAuthRedis,
  fastifyLogging,
  fastifyMemory,
  fastifyPostgres,
  fastifyPostgresAlone,
  fastifyRemembering,
  fastifyRememberingAlone,
  onNode20,
} from "./rivals.ts";

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly question: Question;
  readonly credentials: Credentials;
  /** What is answered. Default: 200. */
  readonly status?: 401;
  /** In the order of the table. */
  readonly contestants: readonly Contestant[];
  /** What the others are compared with; default: the first one. */
  readonly references?: readonly Contestant[];
}

/** Several that are asked for by one name. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  leases: ["leases-unlimited", "leases-limited", "leases-postgres", "leases-embedded"],
};

const BASELINES = [bareHttp, stockConnect];
const TOKEN_BASELINES = [...BASELINES, tokenCheckByJose, tokenCheckByCrypto];
const ON_REDIS = {
  question: "verify",
  contestants: [bareHttp, redisHttp, nginxRedis, latchkeyRedis, redisBefore, fastifyPostgres, fastifyRemembering],
  references: [bareHttp, nginxRedis],
} as const;

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
    name: "verify-token",
    title: "POST /api/v1/auth/verify with a token that stands for a key, and with the key, PostgreSQL and Redis",
    question: "verify",
    credentials: "secret",
    contestants: [bareHttp, withKeysInUse(latchkeyTokens, 1_000), withKeysInUse(latchkeyRedis, 1_000)],
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
    name: "revoked",
    title: "POST /api/v1/auth/verify with a revoked key, PostgreSQL and Redis",
    question: "verify",
    credentials: "revoked-secret",
    status: 401,
    contestants: [bareHttp, latchkeyRedis],
  },
  {
    name: "fenced",
    title: "POST /api/v1/auth/verify with a key without a limit that is fenced by address, PostgreSQL and Redis",
    question: "verify",
    credentials: "fenced-secret",
    contestants: [bareHttp, latchkeyRedis],
  },
  {
    name: "user-limit",
    title: "POST /api/v1/auth/verify with a publishable key that limits each user, and one of 1,000 ES256 tokens",
    question: "verify",
    credentials: "limited-user",
    contestants: [bareHttp, latchkeyRedis],
  },
  {
    name: "replicas",
    title: "POST /api/v1/auth/verify with a secret key, one replica and two on the same core",
    question: "verify",
    credentials: "secret",
    contestants: [bareHttp, latchkeyRedis, latchkeyReplicas, nginxRedis, nginxReplicas],
  },
  {
    ...ON_REDIS,
    name: "leases-unlimited",
    title: "POST /api/v1/auth/verify with a secret key without a limit, PostgreSQL and Redis",
    credentials: "unlimited-secret",
  },
  {
    ...ON_REDIS,
    name: "leases-limited",
    title: "POST /api/v1/auth/verify with a secret key with a limit, PostgreSQL and Redis",
    credentials: "secret",
  },
  {
    name: "leases-postgres",
    title: "POST /api/v1/auth/verify with a secret key with a limit, PostgreSQL alone",
    question: "verify",
    credentials: "secret",
    contestants: [
      bareHttp,
      nginxMemory,
      latchkeyPostgres,
      postgresBefore,
      fastifyPostgresAlone,
      fastifyRememberingAlone,
    ],
    references: [bareHttp, nginxMemory],
  },
  {
    name: "leases-embedded",
    title: "POST /api/v1/auth/verify with a secret key with a limit, everything in one process",
    question: "verify",
    credentials: "secret",
    contestants: [bareHttp, nginxMemory, latchkeyEmbedded, embeddedBefore, fastifyMemory],
    references: [bareHttp, nginxMemory],
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
