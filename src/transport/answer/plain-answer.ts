import type { Outcome } from "./answer-code.ts";
import type { PlainHeaders } from "./plain-headers.ts";

/** A complete answer of ours, without trailers: of every one but those that Connect's handler makes. */
export interface PlainAnswer extends Outcome {
  readonly headers: PlainHeaders;
  readonly body: Uint8Array | string;
}

/** A message over gRPC in its envelope, with the trailers of a call that succeeded. */
export interface PlainGrpcAnswer extends Outcome {
  readonly headers: PlainHeaders;
  readonly body: Uint8Array;
  readonly grpcTrailers: Readonly<Record<string, string>>;
}
