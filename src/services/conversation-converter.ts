import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ContentPartType,
  FinishReason as FinishReasonProto,
  type MessageSchema,
  Role as RoleProto,
  type RunSchema,
  RunStatus as RunStatusProto,
  type ThreadSchema,
} from "../../gen/latchkey/v1/conversation_pb.ts";
import type { FinishReason, Message, Role, Run, RunStatus, Thread } from "../domain/conversations/conversation.ts";
import { toTimestamp } from "./dates.ts";

const ROLES: Record<Role, RoleProto> = { user: RoleProto.USER, assistant: RoleProto.ASSISTANT };

const RUN_STATUSES: Record<RunStatus, RunStatusProto> = {
  queued: RunStatusProto.QUEUED,
  running: RunStatusProto.RUNNING,
  completed: RunStatusProto.COMPLETED,
  failed: RunStatusProto.FAILED,
};

const FINISH_REASONS: Record<FinishReason, FinishReasonProto> = {
  stop: FinishReasonProto.STOP,
  length: FinishReasonProto.LENGTH,
  content_filter: FinishReasonProto.CONTENT_FILTER,
  other: FinishReasonProto.OTHER,
};

export function toThread(thread: Thread): MessageInitShape<typeof ThreadSchema> {
  return {
    threadId: thread.threadId,
    conversationKey: thread.conversationKey,
    userId: thread.userId ?? "",
    messageCount: thread.messageCount,
    createdAt: toTimestamp(thread.createdAt),
    updatedAt: toTimestamp(thread.updatedAt),
  };
}

export function toMessage(message: Message): MessageInitShape<typeof MessageSchema> {
  return {
    messageId: message.messageId,
    role: ROLES[message.role],
    content: message.parts.map((content) => ({ type: ContentPartType.TEXT, content })),
    createdAt: toTimestamp(message.createdAt),
    runId: message.runId,
  };
}

export function toRun(run: Run): MessageInitShape<typeof RunSchema> {
  const { runId, status, error, usage, finishReason } = run;
  return {
    runId,
    status: RUN_STATUSES[status],
    error,
    ...(usage && { tokenUsage: usage }),
    ...(finishReason && { finishReason: FINISH_REASONS[finishReason] }),
  };
}
