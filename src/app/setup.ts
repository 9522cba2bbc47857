import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Config } from "../config/config.ts";
import type { Assistant } from "../domain/conversations/assistant.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import type { Times } from "../store/replicas/times.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import type { HttpLimits } from "../transport/http/http-limits.ts";
import { createLifecycle, type Lifecycle } from "./lifecycle.ts";
import { createLiveSecrets, type LiveSecrets } from "./live-secrets.ts";

/** Only the log and its destination are required. Most others are replacements for tests. */
export interface AppOptions {
  readonly log: Logger;
  /** Takes the lines of the access log, which are made when they are written. */
  readonly writeLine: (makeLine: () => string) => void;
  /** The configured database, already open. The app closes it. */
  readonly database?: SqlDatabase;
  readonly clock?: Clock;
  /** Instead of the clock of Redis. */
  readonly redisClock?: Clock;
  readonly assistant?: Assistant;
  readonly runLeaseMs?: number;
  readonly runPollMs?: number;
  /** Ms after which another replica takes over what a replica that died was sending to webhooks. Default 30,000. */
  readonly webhookLeaseMs?: number;
  /** Ms between polls for what to send to webhooks. */
  readonly webhookPollMs?: number;
  /** Of the replicas. Longer ones save looks where this process is the only one. */
  readonly replicaTimes?: Times;
  /** Ms between probes of PostgreSQL, and of Redis. Default 1,000. */
  readonly probeMs?: number;
  /** Ms between two removals of old rows. Default 60,000. */
  readonly purgeMs?: number;
  /** For one of several workers: returns the text for scrapes, of all workers. Default: that of this process. */
  readonly shareMetrics?: (own: Registry) => () => Promise<string>;
  /** Ms for which a call waits for the end of its erasure. */
  readonly erasureWaitMs?: number;
  /** Ms from the stop signal until the app stops waiting for anything. */
  readonly stopMs?: number;
  readonly httpLimits?: HttpLimits;
}

/** The context of every step of the composition. */
export interface Setup {
  readonly config: Config;
  readonly options: AppOptions;
  readonly secrets: LiveSecrets;
  /** Of this process. `Storage.keyClock` has the time that replicas must agree on. */
  readonly clock: Clock;
  readonly life: Lifecycle;
}

export function createSetup(config: Config, options: AppOptions): Setup {
  const { clock = () => new Date(), stopMs } = options;
  return { config, options, secrets: createLiveSecrets(config), clock, life: createLifecycle(stopMs) };
}
