import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Assistant } from "../domain/conversations/assistant.ts";
import type { ConversationStore, RunEnds } from "../domain/conversations/conversation-store.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import { reportRunBacklog } from "../observability/metrics/run-backlog.ts";
import { createRunReport } from "../observability/metrics/run-report.ts";
import { createRunQueue } from "../store/sql/conversations/run-queue.ts";
import type { SqlDatabase } from "../store/sql/driver/database.ts";
import type { Hint } from "../store/sql/driver/hints.ts";
import { createRunEnds } from "../workers/run-ends.ts";
import { startRunLoop } from "../workers/run-loop.ts";

const POLL_MS = 1_000;
const LEASE_MS = 15_000;

export interface RunsContext {
  readonly database: SqlDatabase;
  readonly conversations: ConversationStore;
  readonly assistant: Assistant;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Returns a function that logs a failure with this message. */
  readonly logFailure: (message: string) => (err: unknown) => void;
  /** Maximum number of runs of this process at once. */
  readonly runsAtOnce: number;
  /** Time for a run from its first attempt on, in ms. */
  readonly deadlineMs: number;
  /** Default: the database's own. */
  readonly clock: Clock | undefined;
  /** Ms after which another replica takes over the runs of a replica that died. Default 15,000. */
  readonly leaseMs: number | undefined;
  /** Ms between polls for new and ended runs whose announcement was lost. Default 1,000. */
  readonly pollMs: number | undefined;
}

export interface Runs {
  readonly ends: RunEnds;
  /** Makes the worker look for a run now. */
  wake(): void;
  /** Takes the announcements of other replicas. */
  onHint(hint: Hint): void;
  /** Ends all waits, and puts runs that do not end within 5 s back into the queue. */
  handBack(): Promise<void>;
}

/** Starts the worker that answers messages, and connects waiting readers with runs on all replicas. */
export function startRuns(ctx: RunsContext): Runs {
  const { database, conversations, assistant, log, metrics, logFailure, runsAtOnce, deadlineMs, clock } = ctx;
  const { leaseMs = LEASE_MS, pollMs = POLL_MS } = ctx;
  const ends = createRunEnds({ conversations, pollMs, onError: logFailure("runs could not be looked at") });
  const queue = createRunQueue(database, clock);
  const backlog = reportRunBacklog({ queue, metrics, onFault: logFailure("runs could not be counted") });
  const loop = startRunLoop({
    queue,
    assistant,
    runsAtOnce,
    pollMs,
    leaseMs,
    deadlineMs,
    runEnds: ends,
    ...createRunReport(log, metrics, ends),
    onFault: logFailure("a run could not be worked on"),
  });
  const handBack = async (): Promise<void> => {
    ends.close();
    backlog.close();
    await loop.stop();
  };
  return {
    ends,
    wake: loop.wake,
    onHint(hint) {
      if (hint.kind === "queued") loop.wake();
      else if (hint.kind === "ended") ends.announce(hint.threadId);
    },
    handBack,
  };
}
