import OpenAI, { type ClientOptions } from "openai";
import type { OpenAiConfig } from "../../config/settings.ts";
import type { Assistant } from "../../domain/conversations/assistant.ts";
import { AssistantFailure } from "../../domain/conversations/assistant-failure.ts";
import type { TokenUsage } from "../../domain/conversations/conversation.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { toFailure } from "./failures.ts";
import { toPrompt } from "./prompt.ts";

/** The largest value of the column and of the response's field, both of 32 bits. */
const COUNT_MAX = 2_147_483_647;

/**
 * Calls any OpenAI-compatible chat completions endpoint, once: the run loop decides about retries. `apiKey` is called for
 * each request.
 */
export function createOpenAiAssistant(config: OpenAiConfig, apiKey = () => config.apiKey): Assistant {
  const client = createClient({
    baseURL: config.baseUrl,
    // The client requires a key. `null` keeps it from adding headers from its own environment variables.
    apiKey: async () => apiKey() ?? "none",
    organization: null,
    project: null,
    defaultHeaders: config.apiKey === null ? { Authorization: null } : {},
    maxRetries: 0,
    logLevel: "off",
    fetch: boundedFetch,
  });
  return {
    reads: { messages: config.historyMessages, bytes: config.historyBytes },
    async reply(history, signal) {
      // The client's own timeout ends when the headers arrive; a body that arrives byte by byte would block the run for
      // ever.
      const timeout = AbortSignal.timeout(config.timeoutMs);
      try {
        const completion = await client.chat.completions.create(
          { model: config.model, messages: toPrompt(config.systemPrompt, history) },
          { signal: AbortSignal.any([signal, timeout]), timeout: config.timeoutMs },
        );
        return readReply(completion);
      } catch (err) {
        throw timeout.aborted
          ? new AssistantFailure("timed_out", `no reply within ${config.timeoutMs} ms`)
          : toFailure(err);
      }
    },
  };
}

/**
 * Hides the one environment variable from the client that no option overrides: its headers would replace ours, the key
 * included. The client reads it only here. It is restored before any other code can run.
 */
function createClient(options: ClientOptions): OpenAI {
  const { OPENAI_CUSTOM_HEADERS } = process.env;
  delete process.env.OPENAI_CUSTOM_HEADERS;
  try {
    return new OpenAI(options);
  } finally {
    if (OPENAI_CUSTOM_HEADERS !== undefined) process.env.OPENAI_CUSTOM_HEADERS = OPENAI_CUSTOM_HEADERS;
  }
}

/** Parses the response without trusting the client's types, because the endpoint may send anything. */
function readReply(completion: unknown): { text: string; usage: TokenUsage | null } {
  const choices = member(completion, "choices");
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = member(choice, "message");
  const text = textOf(member(message, "content"));
  if (text.trim() !== "") return { text: storable(text), usage: readUsage(member(completion, "usage")) };
  if (member(choice, "finish_reason") === "content_filter") {
    throw new AssistantFailure("refused", "the content filter kept the reply back");
  }
  if (typeof member(message, "refusal") === "string") throw new AssistantFailure("refused", "the model refused");
  throw new AssistantFailure("unreadable", "the answer holds no text");
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

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
