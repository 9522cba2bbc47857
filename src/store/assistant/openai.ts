import type { OpenAiConfig } from "../../config/settings.ts";
import type { Assistant, AssistantReply } from "../../domain/conversations/assistant.ts";
import { AssistantFailure } from "../../domain/conversations/assistant-failure.ts";
import type { FinishReason, TokenUsage } from "../../domain/conversations/conversation.ts";
import { parseForeignJson } from "../../domain/vocabulary/foreign-json.ts";
import { boundedPost } from "./bounded-post.ts";
import { refusal, toFailure } from "./failures.ts";
import { member } from "./member.ts";
import { toPrompt } from "./prompt.ts";

/** The largest value of the column and of the response's field, both of 32 bits. */
const COUNT_MAX = 2_147_483_647;

/**
 * Calls any OpenAI-compatible chat completions endpoint, once: the run loop decides about retries. `apiKey` is called for
 * each request.
 */
export function createOpenAiAssistant(config: OpenAiConfig, apiKey = () => config.apiKey): Assistant {
  const url = `${config.baseUrl.replace(/\/$/, "")}/chat/completions`;
  return {
    reads: { messages: config.historyMessages, bytes: config.historyBytes },
    async reply(history, signal, withinMs) {
      const timeout = AbortSignal.timeout(withinMs);
      try {
        const request = { model: config.model, messages: toPrompt(config.systemPrompt, history) };
        const answer = await boundedPost(url, apiKey(), request, AbortSignal.any([signal, timeout]));
        if (answer.status < 200 || answer.status > 299) throw refusal(answer);
        return readReply(parseForeignJson(answer.text));
      } catch (err) {
        throw timeout.aborted ? new AssistantFailure("timed_out", `no reply within ${withinMs} ms`) : toFailure(err);
      }
    },
  };
}

/** The endpoint may send anything. */
function readReply(completion: unknown): AssistantReply {
  const choices = member(completion, "choices");
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = member(choice, "message");
  const text = textOf(member(message, "content"));
  const reason = member(choice, "finish_reason");
  if (text.trim() === "") throw withoutText(message, reason);
  return { text: storable(text), usage: readUsage(member(completion, "usage")), finishReason: toFinishReason(reason) };
}

/** Why an answer holds no text. The same request would probably get, and cost, the same again. */
function withoutText(message: unknown, finishReason: unknown): AssistantFailure {
  if (finishReason === "content_filter") {
    return new AssistantFailure("refused", "the content filter kept the reply back");
  }
  if (typeof member(message, "refusal") === "string") return new AssistantFailure("refused", "the model refused");
  const calls = member(message, "tool_calls");
  if ((Array.isArray(calls) && calls.length > 0) || finishReason === "tool_calls" || finishReason === "function_call") {
    return new AssistantFailure("tool_call", "the model called a tool");
  }
  const content = member(message, "content");
  // A reasoning model that reaches its limit of tokens before its reply leaves the content empty.
  return typeof content === "string" || content === null || finishReason === "length"
    ? new AssistantFailure("empty", "the reply has no text")
    : new AssistantFailure("unreadable", "the answer holds no reply");
}

/** Null: the model does not say. */
function toFinishReason(reason: unknown): FinishReason | null {
  if (reason === "stop" || reason === "length" || reason === "content_filter") return reason;
  return typeof reason === "string" ? "other" : null;
}

/** The text of a content: a string, or a list of parts, some of which are texts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((part) => member(part, "type") === "text")
    .map((part) => textOf(member(part, "text")))
    .join("");
}

/** Replaces lone surrogates and NUL, which cannot be stored as JSON or sent as protobuf. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

function readUsage(usage: unknown): TokenUsage | null {
  const promptTokens = member(usage, "prompt_tokens");
  const completionTokens = member(usage, "completion_tokens");
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= COUNT_MAX;
}
