import type { Logger } from "pino";
import { Counter, Gauge, type Registry } from "prom-client";
import type { AssistantFailure } from "../../domain/conversations/assistant-failure.ts";
import type { RunEnds } from "../../domain/conversations/conversation-store.ts";
import type { RunOutcome } from "../../domain/conversations/run-outcome.ts";

/** Reports runs in the log and the metrics, without message text. */
export function createRunReport(
  log: Logger,
  metrics: Registry,
  runEnds: Pick<RunEnds, "waiting">,
): { readonly onOutcome: (outcome: RunOutcome) => void } {
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
      const { kind, runId } = outcome;
      const usage = kind === "completed" ? outcome.usage : null;
      const err = failureOf(outcome);
      const reason = err?.reason ?? "";
      attempts.inc({ outcome: kind, reason });
      tokens.inc({ kind: "prompt" }, usage?.promptTokens ?? 0);
      tokens.inc({ kind: "completion" }, usage?.completionTokens ?? 0);
      if (err !== null) log.error({ err, run_id: runId, reason, outcome: kind }, "the assistant gave no reply");
    },
  };
}

function failureOf(outcome: RunOutcome): AssistantFailure | null {
  return outcome.kind === "completed" || outcome.kind === "handed_over" ? null : outcome.failure;
}
