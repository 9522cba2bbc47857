import type { Call } from "../../interceptors/call.ts";
import type { Incoming } from "../request/exchange.ts";
import type { Outcome } from "./answer-code.ts";

/** The parts of a request that its report uses. All are absent for bytes that are not an HTTP request. */
export type AnsweredRequest = Partial<Pick<Incoming, "method" | "url" | "headers">>;

/**
 * Receives one report for each answer, after it has ended. The transport calls it; the implementation writes the log line,
 * the metrics and the spans.
 */
export interface AccessLog {
  answered(req: AnsweredRequest, outcome: Outcome, call: Call, durationMs: number): void;
  /** Logs an unexpected error that no answer describes. */
  unforeseen(err: unknown, call: Call): void;
}
