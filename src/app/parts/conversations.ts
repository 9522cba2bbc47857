import { GatewayService } from "../../../gen/latchkey/v1/gateway_service_pb.ts";
import { type Config, OPENAI_TIMEOUT_MS_DEFAULT } from "../../config/config.ts";
import type { Assistant } from "../../domain/conversations/assistant.ts";
import { removeOldConversations } from "../../domain/conversations/retention.ts";
import { measureAssistant } from "../../observability/metrics/model-calls.ts";
import { createGatewayService } from "../../services/gateway-service.ts";
import { echoAssistant } from "../../store/assistant/echo.ts";
import { createConversationRetention } from "../../store/sql/conversations/conversation-retention.ts";
import { createConversationStore } from "../../store/sql/conversations/conversation-store.ts";
import type { SqlDatabase } from "../../store/sql/driver/database.ts";
import type { Removal } from "../../workers/purge-loop.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";
import { startRuns } from "../runs.ts";

/** Conversations with the assistant. */
export async function openConversations(ctx: PartContext): Promise<Part> {
  const { config, options, life, watch, storage } = ctx;
  const { database, logFailure } = storage;
  const conversations = createConversationStore(database, options.clock);
  const runs = startRuns({
    database,
    conversations,
    assistant: options.assistant ?? (await openAssistant(ctx)),
    log: watch.log,
    metrics: watch.metrics,
    logFailure,
    runsAtOnce: config.runsAtOnce,
    deadlineMs: config.assistant?.timeoutMs ?? OPENAI_TIMEOUT_MS_DEFAULT,
    clock: options.clock,
    leaseMs: options.runLeaseMs,
    pollMs: options.runPollMs,
  });
  // While requests end: another replica takes over queued runs, and readers stop waiting.
  life.onStop(runs.handBack);
  const service = createGatewayService({ conversations, runEnds: runs.ends, wakeRunLoop: runs.wake });
  return {
    services: [mounted(GatewayService, service)],
    removals: conversationRemovals(config, database),
    onHint: runs.onHint,
  };
}

/** Removes messages that are too old; nothing if they are kept for ever. */
export function conversationRemovals(
  { conversationDays }: Pick<Config, "conversationDays">,
  database: Pick<SqlDatabase, "internal">,
): readonly Removal[] {
  if (conversationDays === null) return [];
  const retention = createConversationRetention(database);
  return [(now) => removeOldConversations(retention, conversationDays, now)];
}

/** Loads the model's client only if a model is configured. */
async function openAssistant({ config: { assistant }, secrets, watch }: PartContext): Promise<Assistant> {
  if (assistant === null) return echoAssistant;
  const { createOpenAiAssistant } = await import("../../store/assistant/openai.ts");
  const apiKey = () => secrets.now.assistant?.apiKey ?? null;
  const model = measureAssistant(watch.metrics, createOpenAiAssistant(assistant, apiKey));
  return watch.tracing?.trace(model, assistant) ?? model;
}
