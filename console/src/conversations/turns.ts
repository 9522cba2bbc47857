import {
  ConversationStatus,
  type Message,
  Role,
  RunStatus,
} from "../../../clients/typescript/src/gen/latchkey/v1/conversation_pb.ts";
import type { GetConversationStateResponse } from "../../../clients/typescript/src/gen/latchkey/v1/gateway_service_pb.ts";

export interface Outcome {
  readonly kind: "waiting" | "failed";
  readonly sentence: string;
}

/** A message, and what became of its run where no reply follows. */
export interface Turn {
  readonly message: Message;
  readonly outcome: Outcome | undefined;
}

/** The messages of all pages in order. `pages`: the latest first, as they are loaded. */
export function turnsOf(pages: readonly GetConversationStateResponse[]): readonly Turn[] {
  const [latest] = pages;
  const messages = pages.toReversed().flatMap((page) => page.messages);
  const replied = new Set(messages.filter(({ role }) => role === Role.ASSISTANT).map(({ runId }) => runId));
  const lastReply = messages.findLastIndex(({ role }) => role === Role.ASSISTANT);
  return messages.map((message, index) => {
    if (latest === undefined || message.role !== Role.USER || replied.has(message.runId))
      return { message, outcome: undefined };
    return { message, outcome: outcomeOf(latest, message, index < lastReply) };
  });
}

/** Only the latest run comes with its state. Runs of a conversation go one after the other, so the others' follows. */
function outcomeOf({ run, status }: GetConversationStateResponse, { runId }: Message, isPassed: boolean): Outcome {
  if (run?.runId === runId && run.status === RunStatus.FAILED) return failed(run.error);
  if (isPassed || status === ConversationStatus.IDLE) return failed();
  return {
    kind: "waiting",
    sentence:
      run?.runId === runId && run.status === RunStatus.RUNNING ? "The assistant is at work." : "Waits for a reply.",
  };
}

function failed(why = "There is no reply."): Outcome {
  return { kind: "failed", sentence: `The run failed. ${why}` };
}
