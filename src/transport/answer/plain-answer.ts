import type { Outcome } from "./answer-code.ts";
import type { PlainHeaders } from "./plain-headers.ts";

/** A complete answer of the lean path. */
export interface UnaryAnswer extends Outcome {
  readonly headers: PlainHeaders;
  readonly body: Uint8Array | string;
}
