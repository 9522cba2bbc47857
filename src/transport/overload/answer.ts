import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { createEndStreamSerialization, endStreamFlag } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { errorOf } from "../../interceptors/error-info.ts";
import { type Answer, faultAnswer, TRANSPORT_FAULTS } from "../answer/envelope.ts";
import type { PlainAnswer } from "../answer/plain-answer.ts";
import { PlainHeaders } from "../answer/plain-headers.ts";
import type { Incoming } from "../request/exchange.ts";
import { contentTypeOf } from "../request/media-type.ts";

/** From when to when clients shall come back: with one time for all, those that were refused together would come back together. */
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 3_000;

const { headers: HEADERS, ...REFUSAL } = faultAnswer("overloaded");
const ERROR = errorOf("overloaded", TRANSPORT_FAULTS.overloaded.message);
const TRAILERS = new Headers();
setTrailerStatus(TRAILERS, ERROR);
const { serialize: serializeEndStream } = createEndStreamSerialization(undefined);

/** The protocols whose clients expect an error as a message of theirs. Plain calls of Connect have an HTTP status. */
const STREAMING_TYPE = /^application\/(grpc-web|grpc|connect)(?:\+(?:json|proto))?(?=\s*(?:;|$))/i;

/**
 * The refusal of a request in an overloaded process, in the request's protocol. Made of texts that are ready: it must cost less than
 * to serve it. `random` returns a number from 0 to below 1, which decides when the client shall come back.
 */
export function overloadAnswer(req: Pick<Incoming, "rawHeaders">, random: () => number): PlainAnswer | Answer {
  const retryMs = Math.round(RETRY_MS_MIN + random() * (RETRY_MS_MAX - RETRY_MS_MIN));
  const seconds = String(Math.round(retryMs / 1_000));
  const [type, protocol] = STREAMING_TYPE.exec(contentTypeOf(req)) ?? [];
  if (type === undefined) {
    const headers = new PlainHeaders();
    headers.list.push(...HEADERS.list);
    headers.set("retry-after", seconds);
    return { ...REFUSAL, headers };
  }
  const headers = new Headers({ "content-type": type, "retry-after": seconds });
  const outcome = { status: 200, code: REFUSAL.code, headers } as const;
  if (protocol?.toLowerCase() === "connect") {
    const end = serializeEndStream({ metadata: new Headers({ "retry-after": seconds }), error: ERROR });
    return { ...outcome, body: encodeEnvelope(endStreamFlag, end), trailers: undefined };
  }
  const trailers = new Headers(TRAILERS);
  trailers.set("grpc-retry-pushback-ms", String(retryMs));
  if (protocol?.toLowerCase() === "grpc") return { ...outcome, body: new Uint8Array(), trailers };
  return { ...outcome, body: encodeEnvelope(trailerFlag, trailerSerialize(trailers)), trailers: undefined };
}
