import { GatewayService } from "../../../gen/latchkey/v1/gateway_service_pb.ts";
import { type Config, OPENAI_TIMEOUT_MS_DEFAULT } from "../../config/config.ts";
import type { Assistant } from "../../domain/conversations/assistant.ts";
import type { ConversationStore } from "../../domain/conversations/conversation-store.ts";
import { removeOldConversations } from "../../domain/conversations/retention.ts";
import { measureAssistant } from "../../observability/metrics/model-calls.ts";
import { reportRunBacklog } from "../../observability/metrics/run-backlog.ts";
import { createRunReport } from "../../observability/metrics/run-report.ts";
import { createGatewayService } from "../../services/gateway-service.ts";
import { echoAssistant } from "../../store/assistant/echo.ts";
import { createConversationRetention } from "../../store/sql/conversations/conversation-retention.ts";
import { createConversationStore } from "../../store/sql/conversations/conversation-store.ts";
import { createRunQueue } from "../../store/sql/conversations/run-queue.ts";
import type { SqlDatabase } from "../../store/sql/driver/database.ts";
import type { Hint } from "../../store/sql/driver/hints.ts";
import type { Removal } from "../../workers/purge-loop.ts";
import { createRunEnds } from "../../workers/run-ends.ts";
import { startRunLoop } from "../../workers/run-loop.ts";
import type { Part, PartContext } from "../part.ts";
import { mounted } from "../rpcs.ts";

/** Ms between polls for new and ended runs whose announcement was lost. */
const POLL_MS = 1_000;
/** Ms after which another replica takes over the runs of a replica that died. */
const LEASE_MS = 15_000;

/** Conversations with the assistant. */
export async function openConversations(ctx: PartContext): Promise<Part> {
  const { config, options, storage } = ctx;
  const { database } = storage;
  const conversations = createConversationStore(database, options.clock);
  const { onHint, ...runs } = startRuns(ctx, conversations, options.assistant ?? (await openAssistant(ctx)));
  const service = createGatewayService({ conversations, ...runs });
  return {
    services: [mounted(GatewayService, service)],
    removals: conversationRemovals(config, database),
    onHint,
  };
}

/** Starts the worker that answers messages, and connects waiting readers with runs on all replicas. */
function startRuns(ctx: PartContext, conversations: ConversationStore, assistant: Assistant) {
  const { config, options, life, watch, storage } = ctx;
  const { database, logFailure } = storage;
  const { runPollMs: pollMs = POLL_MS, runLeaseMs: leaseMs = LEASE_MS } = options;
  const runEnds = createRunEnds({ conversations, pollMs, onError: logFailure("runs could not be looked at") });
  const queue = createRunQueue(database, options.clock);
  const backlog = reportRunBacklog({
    queue,
    metrics: watch.metrics,
    onFault: logFailure("runs could not be counted"),
  });
  const loop = startRunLoop({
    queue,
    assistant,
    runsAtOnce: config.runsAtOnce,
    pollMs,
    leaseMs,
    deadlineMs: config.assistant?.timeoutMs ?? OPENAI_TIMEOUT_MS_DEFAULT,
    runEnds,
    ...createRunReport(watch.log, watch.metrics, runEnds),
    onFault: logFailure("a run could not be worked on"),
  });
  // While requests end: another replica takes over queued runs, and readers stop waiting.
  life.onStop(async () => {
    runEnds.close();
    backlog.close();
    await loop.stop();
  });
  const onHint = (hint: Hint): void => {
    if (hint.kind === "queued") loop.wake();
    else if (hint.kind === "ended") runEnds.announce(hint.threadId);
  };
  return { runEnds, wakeRunLoop: loop.wake, onHint };
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
