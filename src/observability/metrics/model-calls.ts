import { Histogram, type Registry } from "prom-client";
import type { Assistant } from "../../domain/conversations/assistant.ts";
import { AssistantFailure } from "../../domain/conversations/assistant-failure.ts";

/** Up to the longest `OPENAI_TIMEOUT_MS`. */
const CALL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

/** Wraps the model so that each call is observed: `ok`, `canceled` if this process stopped it, or the failure's reason. */
export function measureAssistant(metrics: Registry, assistant: Assistant): Assistant {
  const calls = new Histogram({
    name: "latchkey_model_call_duration_seconds",
    help: "How long calls of the model took, by outcome: ok, canceled, or why there was no reply.",
    labelNames: ["outcome"],
    buckets: CALL_SECONDS,
    registers: [metrics],
  });
  return {
    reads: assistant.reads,
    async reply(history, signal, withinMs) {
      const startedAt = performance.now();
      const observe = (outcome: string): void => calls.observe({ outcome }, (performance.now() - startedAt) / 1_000);
      try {
        const reply = await assistant.reply(history, signal, withinMs);
        observe("ok");
        return reply;
      } catch (err) {
        const reason = err instanceof AssistantFailure ? err.reason : "internal";
        observe(signal.aborted ? "canceled" : reason);
        throw err;
      }
    },
  };
}
