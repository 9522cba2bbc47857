import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { RedisServers } from "../../config/settings.ts";
import type { Limiter } from "../../domain/limits/limiter.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import type { ReportError } from "../../domain/vocabulary/report-error.ts";
import type { KeptText } from "../replicas/shared-history.ts";

export interface LimiterContext {
  readonly log: Logger;
  /** Log what may happen again and again: at once, and then once a minute. */
  readonly error: ReportError;
  readonly warn: ReportError;
  readonly metrics: Registry;
  readonly clock: Clock;
  /** How long a request waits for Redis, before this process limits on its own. */
  readonly redisTimeoutMs: number;
  /** Set by tests, instead of Redis' own. */
  readonly redisClock: Clock | undefined;
  /** Ms between probes. Default: a second. */
  readonly probeMs?: number | undefined;
}

export interface ConnectedLimiter {
  readonly limiter: Limiter;
  /** For dashboard users: where budgets are in memory they are in a table of their own, so that users evict no key's. */
  readonly ofDashboardUsers: Pick<Limiter, "take">;
  /** Whether limits are enforced over all replicas now; without Redis they never are. */
  readonly isShared: () => boolean;
  /** The id of the Redis that has the budgets. Throws `StoreUnavailable`. */
  readonly readIdentity: () => Promise<string>;
  /** Keeps how far the history of a database goes, by its name. Undefined: there is no Redis. */
  readonly keepHistory: ((database: string) => KeptText) | undefined;
  /** Its hosts without credentials; empty: no Redis. */
  readonly servers: string;
  /** From now on new connections sign in with the user and the passwords that this has, for the same servers. */
  signInWith(servers: RedisServers): void;
  close(): void;
}
