import type { Outcome } from "./answer-code.ts";
import type { PlainHeaders } from "./plain-headers.ts";

/** A complete answer of ours, without trailers: of every one but those that Connect's handler makes. */
export interface PlainAnswer extends Outcome {
  readonly headers: PlainHeaders;
  readonly body: Uint8Array | string;
}
