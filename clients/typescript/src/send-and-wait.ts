import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { ContentPartType, type Message, Role, type Run, RunStatus } from "./gen/latchkey/v1/conversation_pb.ts";
import type {
  GatewayService,
  GetConversationStateResponse,
  SendMessageResponse,
} from "./gen/latchkey/v1/gateway_service_pb.ts";
import { checkArgument, namesOf } from "./known-options.ts";
import { isPassing, type Sleep, sleepByTimer } from "./retry.ts";
import { RunFailedError, tellRun } from "./run-failed.ts";
import type { ServiceClient } from "./strict-client.ts";

/** A text for the assistant. */
export interface OutgoingMessage {
  /** Name of the conversation, 1 to 256 characters; the first message creates it. */
  readonly conversationKey: string;
  /** The text, or up to 32 parts of it; 32,768 bytes of UTF-8 in all. */
  readonly text: string | readonly string[];
  /** A name for the message, 1 to 128 characters: sent again under it, it is the same message. Default: a name of its own. */
  readonly clientMessageId?: string | undefined;
}

export interface SendAndWaitOptions extends Pick<CallOptions, "headers"> {
  /** Ends the waiting; the message stays sent. Default: wait until the run ends, however late the service answers, outages included. */
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

const MESSAGE_MEMBERS = namesOf<OutgoingMessage>({ conversationKey: true, text: true, clientMessageId: true });
const OPTIONS = namesOf<SendAndWaitOptions>({ signal: true, headers: true });
/** Longest the service holds an answer, in ms, and how long an answer may take beyond that. */
const WAIT_MS = 30_000;
const ANSWER_MS = 15_000;
/** Pause where the answer was not held, as when the service is about to stop, or never came. */
const PAUSE_MS = 250;
/** Pause where the service is away: each read has been repeated already. */
const OUTAGE_PAUSE_MS = 2_000;
/** Half of a surrogate pair, which UTF-8 cannot carry. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Sends a message and waits for its reply.
 *
 * Throws `RunFailedError` where there will be no reply, and a `ConnectError` where a call fails: with code `canceled`
 * when the signal aborts. Once it was sent, the message gets its reply whether or not a caller waits; `runIdOf` returns its run.
 */
export async function sendAndWait(
  gateway: ServiceClient<typeof GatewayService>,
  message: OutgoingMessage,
  options: SendAndWaitOptions = {},
  sleep: Sleep = sleepByTimer,
): Promise<Reply> {
  checkArgument(message, MESSAGE_MEMBERS, "the message");
  checkArgument(options, OPTIONS, "options");
  const { signal = new AbortController().signal, headers } = options;
  const call = { signal, ...(headers !== undefined && { headers }) };
  const sent = await gateway.sendMessage(requestOf(message), call);
  const read: ReadPage = (page) =>
    gateway.getConversationState(
      { conversationKey: message.conversationKey, ...page },
      { ...call, timeoutMs: WAIT_MS + ANSWER_MS },
    );
  try {
    const reply = await awaitReply(read, sent, signal, sleep);
    return { runId: sent.runId, messageId: sent.messageId, reply, text: textOf(reply) };
  } catch (err) {
    tellRun(err, sent.runId);
    throw err;
  }
}

function requestOf({ conversationKey, text, clientMessageId }: OutgoingMessage) {
  const texts: unknown = typeof text === "string" ? [text] : text;
  if (!isTexts(texts)) throw new ConnectError("text must be a string, or a list of them", Code.InvalidArgument);
  if (texts.some((part) => LONE_SURROGATE.test(part))) {
    throw new ConnectError(
      "text must not hold half of a surrogate pair, as a text that was cut does",
      Code.InvalidArgument,
    );
  }
  const content = texts.map((part) => ({ type: ContentPartType.TEXT, content: part }));
  const userMessage = { role: Role.USER, content };
  return { conversationKey, userMessage, ...(clientMessageId !== undefined && { clientMessageId }) };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((part) => typeof part === "string");
}

/** Reads until the reply is there. The message is stored: neither a late answer nor an outage says anything about its run. */
async function awaitReply(
  read: ReadPage,
  sent: SendMessageResponse,
  signal: AbortSignal,
  sleep: Sleep,
): Promise<Message> {
  for (;;) {
    let pauseMs = PAUSE_MS;
    try {
      const reply = await findReply(read, sent);
      if (reply !== undefined) return reply;
    } catch (err) {
      // Where the caller's own time is over, the error may look the same.
      if (signal.aborted || !(isDeadline(err) || isPassing(err))) throw err;
      if (isPassing(err)) pauseMs = OUTAGE_PAUSE_MS;
    }
    await sleep(pauseMs, signal);
  }
}

type ReadPage = (page: { waitMs?: number; beforeMessageId?: string }) => Promise<GetConversationStateResponse>;

/**
 * The reply, or undefined while it may still come.
 *
 * A page holds a MiB of text, and others may have written more since: it reads back until it meets the message. Pages
 * that are read later show what has ended since, so a reply that is there is never overlooked.
 */
async function findReply(read: ReadPage, sent: SendMessageResponse): Promise<Message | undefined> {
  const { runId, messageId, conversationKey } = sent;
  let page = await read({ waitMs: WAIT_MS });
  let ended = false;
  for (;;) {
    const { run, messages, nextBeforeMessageId } = page;
    const reply = messages.find((message) => message.runId === runId && message.role === Role.ASSISTANT);
    if (reply !== undefined) return reply;
    const place = messages.findIndex((message) => message.messageId === messageId);
    ended ||= hasEnded(runId, run, messages.slice(place + 1));
    if (place >= 0) {
      if (!ended) return undefined;
      throw new RunFailedError(runId, conversationKey, run?.runId === runId ? run.error : "");
    }
    // Looking again would never end: the user's token may have become another user's, with a conversation of that name.
    if (nextBeforeMessageId === undefined) throw new ConnectError(`${messageId} is not to be found`, Code.NotFound);
    page = await read({ beforeMessageId: nextBeforeMessageId });
  }
}

/** Runs of one conversation go in order: where a later one was begun or answered, ours has ended. */
function hasEnded(runId: string, latest: Run | undefined, later: readonly Message[]): boolean {
  if (latest?.status === RunStatus.COMPLETED || latest?.status === RunStatus.FAILED) return true;
  if (latest?.status === RunStatus.RUNNING && latest.runId !== runId) return true;
  return later.some((message) => message.role === Role.ASSISTANT);
}

function isDeadline(err: unknown): boolean {
  return err instanceof ConnectError && err.code === Code.DeadlineExceeded;
}

function textOf(message: Message): string {
  return message.content.map((part) => part.content).join("\n");
}
