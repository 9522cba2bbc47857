import type { CallOptions, Client } from "@connectrpc/connect";
import { ContentPartType, type Message, Role, RunStatus } from "./gen/latchkey/v1/conversation_pb.ts";
import type { GatewayService, GetConversationStateResponse } from "./gen/latchkey/v1/gateway_service_pb.ts";
import { type Sleep, sleepByTimer } from "./retry.ts";
import { RunFailedError } from "./run-failed.ts";

/** A text for the assistant. */
export interface OutgoingMessage {
  /** Name of the conversation, 1 to 256 characters; the first message creates it. */
  readonly conversationKey: string;
  /** The text, or up to 32 parts of it; 32,768 bytes of UTF-8 in all. */
  readonly text: string | readonly string[];
}

export interface SendAndWaitOptions extends Pick<CallOptions, "headers"> {
  /** Ends the waiting; the message stays sent. Default: wait until the run ends, which the service sees to. */
  readonly signal?: AbortSignal | undefined;
}

/** A message that was answered. */
export interface Reply {
  /** `run_...`. */
  readonly runId: string;
  /** `msg_...` of the message that was sent. */
  readonly messageId: string;
  /** The assistant's message. */
  readonly reply: Message;
  /** The text of all its parts, one a line. */
  readonly text: string;
}

/** Longest the service holds an answer, in ms, and how long an answer may take beyond that. */
const WAIT_MS = 30_000;
const ANSWER_MS = 15_000;
/** Pause where the service did not hold the answer, as it may when it is about to stop. */
const PAUSE_MS = 250;

/**
 * Sends a message and waits for its reply.
 *
 * Throws `RunFailedError` where there will be no reply, and a `ConnectError` where a call fails: with code `canceled`
 * when the signal aborts. Once it was sent, the message is answered whether or not anyone waits.
 */
export async function sendAndWait(
  gateway: Client<typeof GatewayService>,
  { conversationKey, text }: OutgoingMessage,
  options: SendAndWaitOptions = {},
  sleep: Sleep = sleepByTimer,
): Promise<Reply> {
  const { signal = new AbortController().signal, headers } = options;
  const call = { signal, ...(headers !== undefined && { headers }) };
  const texts = typeof text === "string" ? [text] : text;
  const content = texts.map((part) => ({ type: ContentPartType.TEXT, content: part }));
  const userMessage = { role: Role.USER, content };
  const { runId, messageId } = await gateway.sendMessage({ conversationKey, userMessage }, call);
  for (;;) {
    const request = { conversationKey, waitMs: WAIT_MS };
    const state = await gateway.getConversationState(request, { ...call, timeoutMs: WAIT_MS + ANSWER_MS });
    const reply = state.messages.find((message) => message.runId === runId && message.role === Role.ASSISTANT);
    if (reply !== undefined) return { runId, messageId, reply, text: textOf(reply) };
    if (hasEnded(state, runId)) throw new RunFailedError(runId, conversationKey, failureOf(state, runId));
    await sleep(PAUSE_MS, signal);
  }
}

function textOf(message: Message): string {
  return message.content.map((part) => part.content).join("\n");
}

/** Runs of one conversation go in order: where a later one is no longer waiting, ours has ended. */
function hasEnded({ run }: GetConversationStateResponse, runId: string): boolean {
  if (run === undefined) return false;
  const isOver = run.status === RunStatus.COMPLETED || run.status === RunStatus.FAILED;
  return isOver || (run.runId !== runId && run.status === RunStatus.RUNNING);
}

function failureOf({ run }: GetConversationStateResponse, runId: string): string {
  return run?.runId === runId ? run.error : "";
}
