import type { Call } from "../../interceptors/call.ts";
import type { Incoming } from "../request/exchange.ts";
import type { Outcome } from "./answer-code.ts";

/** What is read of a request for its report. Bytes that are no HTTP request have none of it. */
export type AnsweredRequest = Partial<Pick<Incoming, "method" | "url" | "headers">>;

/**
 * Takes the report of each answer, once, when it has ended. Transport calls it; the log's line, the metrics and the spans
 * are made of it elsewhere.
 */
export interface AccessLog {
  answered(req: AnsweredRequest, outcome: Outcome, call: Call, durationMs: number): void;
  /** Logs an error of ours that no answer describes. */
  unforeseen(err: unknown, call: Call): void;
}
