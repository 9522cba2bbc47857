import type { Logger } from "pino";
import type { ReportError } from "../../domain/vocabulary/report-error.ts";
import type { BreakerChange } from "./breaker.ts";

/** An outage that ends within this is a restart or a failover, which asks for nothing of people. */
export const RESTART_MS = 10_000;
/** Replies of a server that restarts or fails over. All other ones say what somebody has to change, such as a password. */
const RESTARTING = /^(LOADING|MASTERDOWN|CLUSTERDOWN) /;

export interface OutageLogContext {
  readonly log: Logger;
  /** For the causes of attempts to connect, of which there are several in a second. */
  readonly error: ReportError;
  /** `host:port` of each server, without credentials. */
  readonly servers: string;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs: () => number;
}

export interface OutageLog {
  changed(change: BreakerChange): void;
  /** An attempt to connect failed. */
  failed(err: Error): void;
  /** A connection is ready. */
  connected(): void;
  close(): void;
}

/**
 * The lines about a Redis that is away: a warning and its end, also at each restart, and errors only where it lasts, is there from
 * the start on, or is a reply that does not pass by itself. Otherwise each restart would be several errors on every replica.
 */
export function createOutageLog({ log, error, servers, monotonicMs }: OutageLogContext): OutageLog {
  /** Of each node that is away: when it will have lasted. */
  const lasting = new Map<string | undefined, NodeJS.Timeout>();
  let hasConnected = false;
  let failingSinceMs: number | undefined;

  function end(node: string | undefined): void {
    clearTimeout(lasting.get(node));
    lasting.delete(node);
  }

  return {
    changed({ node, isUp, cause: err }) {
      end(node);
      if (isUp) return log.info({ node }, "Redis is back: limits are enforced over all replicas again");
      log.warn({ node, servers, err }, "Redis is away: limits are enforced per replica");
      const text = `Redis has been away for ${RESTART_MS / 1_000} s: limits are enforced per replica`;
      lasting.set(node, setTimeout(() => log.error({ node, servers, err }, text), RESTART_MS).unref());
    },
    failed(err) {
      const nowMs = monotonicMs();
      failingSinceMs ??= nowMs;
      const passes = err.name !== "ReplyError" || RESTARTING.test(err.message);
      if (hasConnected && passes && nowMs - failingSinceMs < RESTART_MS) return;
      // Without the stack, which is the client's, and in the message, so that each cause is a condition of its own.
      error(`cannot connect to Redis: ${err.message}`, undefined, { servers });
    },
    connected() {
      hasConnected = true;
      failingSinceMs = undefined;
    },
    close() {
      for (const node of [...lasting.keys()]) end(node);
    },
  };
}
