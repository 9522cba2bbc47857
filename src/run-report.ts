import type { Logger } from "pino";
import { Counter, Gauge, type Registry } from "prom-client";
import type { RunContext, RunOutcome } from "./domain/conversations/run.ts";
import type { RunEnds } from "./domain/conversations/wait.ts";

/** Tells of runs: their readers, the log and the metrics. Never a message's text. */
export function createRunReport(
  log: Logger,
  metrics: Registry,
  runEnds: RunEnds,
): Pick<RunContext, "onOutcome" | "onFault"> {
  const attempts = new Counter({
    name: "latchkey_run_attempts_total",
    help: "Attempts at runs in this process, by what became of them and, of failures, the reason.",
    labelNames: ["outcome", "reason"],
    registers: [metrics],
  });
  const tokens = new Counter({
    name: "latchkey_run_tokens_total",
    help: "Tokens of stored replies, as the model counted them.",
    labelNames: ["kind"],
    registers: [metrics],
  });
  new Gauge({
    name: "latchkey_waiting_readers",
    help: "Calls of get-conversation-state that wait for a run to end.",
    registers: [metrics],
    collect() {
      this.set(runEnds.waiting);
    },
  });
  return {
    onOutcome(outcome) {
      attempts.inc({ outcome: outcome.kind, reason: outcome.reason ?? "" });
      tokens.inc({ kind: "prompt" }, outcome.usage?.promptTokens ?? 0);
      tokens.inc({ kind: "completion" }, outcome.usage?.completionTokens ?? 0);
      if (outcome.kind === "completed" || outcome.kind === "failed") runEnds.announce(outcome.threadId);
      if (outcome.reason !== undefined) logFailure(log, outcome);
    },
    onFault: (err) => log.error({ err }, "a run could not be worked on"),
  };
}

function logFailure(log: Logger, { kind, runId, reason, err }: RunOutcome): void {
  log.error({ err, run_id: runId, reason, outcome: kind }, "the assistant gave no reply");
}
