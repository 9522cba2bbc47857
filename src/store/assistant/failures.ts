import { APIConnectionTimeoutError, APIError } from "openai";
import { AssistantFailure, type FailureReason } from "../../domain/conversations/assistant-failure.ts";

/**
 * What the client threw, as one of our reasons. Of the provider's answer only the status and the code are kept: its
 * message and headers may repeat the user's text, or a part of the key.
 */
export function toFailure(err: unknown): AssistantFailure {
  const ours = ourOwn(err);
  if (ours !== undefined) return ours;
  if (err instanceof APIConnectionTimeoutError) return new AssistantFailure("timed_out", "no answer in time");
  if (err instanceof APIError && err.status !== undefined) {
    const facts = `HTTP ${err.status} ${word(err.code)} ${word(err.type)}`.trim();
    const reason = err.code === "context_length_exceeded" ? "too_long" : reasonOf(err.status);
    return new AssistantFailure(reason, facts, { retryAfterMs: retryAfterMs(err.headers) });
  }
  if (err instanceof SyntaxError) return new AssistantFailure("unreadable", "the answer is no JSON");
  return new AssistantFailure("unavailable", `no answer: ${socketCode(err)}`);
}

function reasonOf(status: number): FailureReason {
  switch (status) {
    case 401:
    case 403:
    case 404:
      return "misconfigured";
    case 408:
      return "timed_out";
    case 429:
      return "overloaded";
    default:
      if (status >= 500 || status === 409) return "unavailable";
      // A redirect is not followed, so whoever set the URL has to.
      return status < 400 ? "misconfigured" : "refused";
  }
}

/** Thrown by our own fetch; the client wraps what a fetch throws, more than once. */
function ourOwn(err: unknown): AssistantFailure | undefined {
  for (let cause = err; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AssistantFailure) return cause;
  }
  return undefined;
}

/** Such as `ECONNREFUSED`, found wherever it is wrapped. */
function socketCode(err: unknown): string {
  for (let cause = err; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && typeof cause.code === "string") return word(cause.code);
  }
  return err instanceof Error ? word(err.name) : "";
}

/** A provider's word, if it is one. */
function word(value: string | null | undefined): string {
  return /^[A-Za-z_]{1,40}$/.test(value ?? "") ? (value ?? "") : "";
}

/** In seconds; a date, which is also allowed, is left to our own pause. */
function retryAfterMs(headers: Headers | undefined): number {
  const value = headers?.get("retry-after") ?? "";
  return /^\d{1,5}$/.test(value) ? Number(value) * 1_000 : 0;
}
