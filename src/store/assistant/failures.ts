import { AssistantFailure, type FailureReason } from "../../domain/conversations/assistant-failure.ts";
import { codeOf } from "../../domain/vocabulary/error-code.ts";
import { parseForeignJson } from "../../domain/vocabulary/foreign-json.ts";
import type { Answer } from "./bounded-post.ts";
import { member } from "./member.ts";

/** Translates what `fetch` and the parser throw into one of our failure reasons. */
export function toFailure(err: unknown): AssistantFailure {
  if (err instanceof AssistantFailure) return err;
  if (err instanceof SyntaxError) return new AssistantFailure("unreadable", "the answer is not JSON");
  return new AssistantFailure("unavailable", `no answer: ${socketCode(err)}`);
}

/**
 * The failure that a status other than 2xx means. It keeps only status and codes: message and headers may repeat the user's
 * text, or a part of the key.
 */
export function refusal({ status, headers, text }: Answer): AssistantFailure {
  const error = errorOf(text);
  const code = member(error, "code");
  const detail = `HTTP ${status} ${word(code)} ${word(member(error, "type"))}`.trim();
  const reason = REASONS_OF_CODES.get(code) ?? reasonOf(status);
  return new AssistantFailure(reason, detail, { retryAfterMs: retryAfterMs(headers) });
}

/** Undefined where the body is not JSON, such as a proxy's page. */
function errorOf(text: string): unknown {
  try {
    return member(parseForeignJson(text), "error");
  } catch {
    return undefined;
  }
}

/** Statuses that a retry may fix, or that the user can fix. Only the operator can fix all others, a redirect too. */
function reasonOf(status: number): FailureReason {
  if (status >= 500) return "unavailable";
  return REASONS.get(status) ?? "misconfigured";
}

const REASONS: ReadonlyMap<number, FailureReason> = new Map([
  [400, "refused"],
  [408, "timed_out"],
  [409, "unavailable"],
  [413, "refused"],
  [422, "refused"],
  [425, "unavailable"],
  [429, "overloaded"],
  [451, "refused"],
]);

/** Codes that say more than the status: providers send both with 400, too. */
const REASONS_OF_CODES: ReadonlyMap<unknown, FailureReason> = new Map([
  ["context_length_exceeded", "too_long"],
  ["model_not_found", "misconfigured"],
]);

/** A code such as `ECONNREFUSED`, of the error or of any of its causes. */
function socketCode(err: unknown): string {
  for (let cause = err; cause instanceof Error; cause = cause.cause) {
    const code = codeOf(cause);
    if (code !== undefined) return word(code);
  }
  return err instanceof Error ? word(err.name) : "";
}

/** A value from the provider if it is a single word; otherwise an empty string. */
function word(value: unknown): string {
  return typeof value === "string" && /^[A-Za-z_]{1,40}$/.test(value) ? value : "";
}

/** The header has seconds, or a date by the sender's clock. */
function retryAfterMs(headers: Headers): number {
  const value = headers.get("retry-after") ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  if (!value.endsWith(" GMT")) return 0;
  const nowMs = Date.parse(headers.get("date") ?? "") || Date.now();
  return Math.max(Date.parse(value) - nowMs, 0) || 0;
}
