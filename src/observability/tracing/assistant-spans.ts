import { type Attributes, SpanKind, type Tracer } from "@opentelemetry/api";
import type { Assistant } from "../../domain/conversations/assistant.ts";
import { AssistantFailure } from "../../domain/conversations/assistant-failure.ts";
import { recordSpan } from "./record-span.ts";

/** The model and its endpoint. */
export interface TracedModel {
  readonly model: string;
  readonly baseUrl: string;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Wraps an assistant: each call makes a CLIENT span, without any message text. */
export function traceAssistant(tracer: Tracer, assistant: Assistant, { model, baseUrl }: TracedModel): Assistant {
  const { hostname, port, protocol } = new URL(baseUrl);
  const called: Attributes = {
    "gen_ai.operation.name": "chat",
    // The wire format's provider. `server.address` shows the model's provider.
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": model,
    "server.address": hostname,
    "server.port": port === "" ? DEFAULT_PORTS[protocol] : Number(port),
  };
  return {
    reads: assistant.reads,
    async reply(history, signal, withinMs) {
      const startedAt = performance.now();
      const record = (isFault: boolean, more: Attributes): void => {
        const durationMs = performance.now() - startedAt;
        const attributes = { ...called, ...more };
        recordSpan(tracer, { name: `chat ${model}`, kind: SpanKind.CLIENT, durationMs, attributes, isFault });
      };
      try {
        const reply = await assistant.reply(history, signal, withinMs);
        record(false, {
          ...(reply.finishReason && { "gen_ai.response.finish_reasons": [reply.finishReason] }),
          "gen_ai.usage.input_tokens": reply.usage?.promptTokens,
          "gen_ai.usage.output_tokens": reply.usage?.completionTokens,
        });
        return reply;
      } catch (err) {
        record(true, { "error.type": signal.aborted ? "cancelled" : reasonOf(err) });
        throw err;
      }
    },
  };
}

function reasonOf(err: unknown): string {
  return err instanceof AssistantFailure ? err.reason : "internal";
}
