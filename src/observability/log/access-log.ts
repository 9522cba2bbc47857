import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { UNCHECKED } from "../../domain/access/facts.ts";
import type { Principal } from "../../domain/access/principal.ts";
import { escapeInvisible } from "../../domain/vocabulary/invisible-characters.ts";
import type { ReportError } from "../../domain/vocabulary/report-error.ts";
import { traceIdIn } from "../../domain/vocabulary/trace-id.ts";
import type { Call } from "../../interceptors/call.ts";
import type { Outcome } from "../../transport/answer/answer-code.ts";
import type { AccessLog, AnsweredRequest } from "../../transport/answer/answered.ts";
import { createRequestDurations, protocolOf } from "../metrics/request-durations.ts";
import { createIsoTime } from "./iso-time.ts";
import { isKnownMethod, loggablePath } from "./loggable.ts";

/** Records the same facts as a span. */
export interface RequestSpans {
  /** Called when the answer has ended. Returns the id of the span's trace. Undefined: no span. Never throws. */
  answered(req: AnsweredRequest, outcome: Outcome, call: Call, durationMs: number): string | undefined;
}

/** What pino calls "info". */
const INFO = 30;

export interface AccessLogContext {
  readonly log: Logger;
  /** Logs unforeseen errors. */
  readonly reportError: ReportError;
  /**
   * Takes lines for the log. It calls `makeLine` when it writes: many lines made in a row cost less than half as much as
   * lines made between requests, because the code stays in the processor's caches (docs/benchmarks.md).
   */
  readonly writeLine: (makeLine: () => string) => void;
  readonly metrics: Registry;
  /** Undefined: no traces are made. */
  readonly spans?: RequestSpans | undefined;
}

/** Writes one wide line per answer, and the same facts as a metric. Never a key, a token or a message's text. */
export function createAccessLog({ log, reportError, writeLine, metrics, spans }: AccessLogContext): AccessLog {
  const isoTime = createIsoTime();
  const durations = createRequestDurations(metrics);
  return {
    answered(req, outcome, call, durationMs) {
      const { method = "", url = "" } = req;
      // The line is made later, so the closure must not keep the answer's body in memory.
      const { status, code } = outcome;
      const { procedure = "", denial } = call;
      const spanTraceId = spans?.answered(req, outcome, call, durationMs);
      durations.observe(procedure, protocolOf(req, procedure), outcome, denial?.reason ?? "", durationMs / 1_000);
      if (!log.isLevelEnabled("info")) return;
      const nowMs = Date.now();
      writeLine(() => {
        const traceId = spanTraceId ?? traceIdIn(call.traceparent);
        const where = procedure === "" ? whereMembers(method, url) : "";
        // Ids of requests and traces, procedures, codes, reasons and addresses have no characters that JSON escapes.
        return (
          `{"level":${INFO},"time":"${isoTime(nowMs)}","request_id":"${call.requestId}"` +
          `${traceId === undefined ? "" : `,"trace_id":"${traceId}"`},"procedure":"${procedure}"` +
          `${where},"status":${status},"code":"${code}"${denial === undefined ? "" : `,"denial_reason":"${denial.reason}"${denial.scope === undefined ? "" : member("scope", denial.scope)}`}` +
          `,"client_address":${call.address === null ? "null" : `"${call.address}"`}` +
          `${callerMembers(call)}${call.targetId === undefined ? "" : member("target_id", call.targetId)},"duration_ms":${decimal(Math.round(durationMs * 1_000))},"msg":"request"}\n`
        );
      });
    },
    unforeseen(err, call) {
      reportError("unforeseen error", err, { request_id: call.requestId });
    },
  };
}

/** Thousandths as a decimal fraction. Formatting a fractional double costs several times as much. */
function decimal(thousandths: number): string {
  return `${Math.floor(thousandths / 1_000)}.${String(thousandths % 1_000).padStart(3, "0")}`;
}

function whereMembers(method: string, url: string): string {
  return member("method", isKnownMethod(method) ? method : "...") + member("path", loggablePath(url));
}

/** The caller, or the key that was presented, as far as known. */
function callerMembers({ verdict = UNCHECKED }: Call): string {
  const { principal, presented, tokenId } = verdict;
  const token = tokenId === undefined ? "" : member("token_id", tokenId);
  if (principal !== undefined) return principalMembers(principal) + token;
  if (presented === undefined) return token;
  return member("tenant_id", presented.key.tenantId) + member("key_id", presented.key.keyId) + token;
}

function principalMembers(principal: Principal): string {
  const members = `,"caller":"${principal.kind}"${member("tenant_id", principal.tenantId)}`;
  switch (principal.kind) {
    case "operator":
    case "anonymous":
      return members;
    case "dashboard_user":
      return members + member("user_id", principal.userId);
    case "secret_key":
      return members + member("key_id", principal.key.keyId) + member("user_id", principal.onBehalfOf);
    case "publishable_key":
      return members + member("key_id", principal.key.keyId) + member("user_id", principal.userId);
    default:
      return principal satisfies never;
  }
}

/** Characters that JSON does not escape. Most ids have only these, and this test costs less than escaping. */
const PLAIN = /^[\w.-]*$/;

/** A JSON member with its leading comma. */
function member(name: string, value: string | null = null): string {
  if (value === null) return `,"${name}":null`;
  return `,"${name}":${PLAIN.test(value) ? `"${value}"` : escapeInvisible(JSON.stringify(value))}`;
}
