import type { ConnectError } from "@connectrpc/connect";
import type { Awaitable } from "../../domain/vocabulary/awaitable.ts";
import type { Call } from "../../interceptors/call.ts";
import type { ErrorTranslator } from "../../interceptors/errors.ts";
import type { Answer } from "../answer/envelope.ts";
import { failedAnswer } from "../answer/failed-answer.ts";
import type { PlainAnswer, PlainGrpcAnswer } from "../answer/plain-answer.ts";
import { arrivedBody, type BodyOwner, collectBody } from "../request/body.ts";
import type { Incoming } from "../request/exchange.ts";
import type { HeldBodies } from "../request/held-bodies.ts";
import type { Caller } from "../request/incoming-call.ts";

/** A path that is not an RPC's, and all that the front door has to know of it. */
export interface Endpoint {
  readonly path: string;
  /** Whether a path below is its, too, by what follows the slash. Default: none is. */
  readonly below?: (rest: string) => boolean;
  /**
   * - `GET`, and with it HEAD: a page, for which no caller is needed;
   * - `POST`: a call;
   * - `any`: even of a preflight, whose answer a proxy would take for a permission.
   */
  readonly method: "GET" | "POST" | "any";
  /** How its other methods are answered: 405, or 404 as on a path that nothing has. Default: 405. Only of a GET. */
  readonly otherMethods?: "not_found";
  /** `bytes`: at most `bodyBytesMax`, read before the handler is called. Only of a POST. */
  readonly body: "none" | "bytes";
  /** Default: `BODY_BYTES_MAX`. No credentials are checked when the body is read: as few as will do. */
  readonly bodyBytesMax?: number;
  /** Which port has it, if operators have one of their own (ADR 34). */
  readonly port: "main" | "admin" | "both";
  /**
   * Whether pages of other origins may read the answer. A browser can reach what operators keep from the public, from the
   * network of its user.
   */
  readonly isReadableByPages: boolean;
  /**
   * Who makes the call that a request's body describes, for the line in which the request waits; its body is read before. Undefined:
   * it describes none, and waits in its own caller's, as all do by default. Only with a body of `bytes`.
   */
  readonly describedCaller?: (req: Incoming, body: Uint8Array) => Caller | undefined;
  /** Whether it is served before all requests that wait, even in an overloaded process. Default: it waits, too. */
  readonly isProbe?: true;
  /** Whether a proxy passes on its errors to clients, on another host. Default: it is asked by who reads them. */
  readonly isRelayed?: true;
  /** Its name in logs, metrics and traces, as an RPC has one. Undefined: a page. */
  readonly procedure: string | undefined;
  readonly answer: (req: Incoming, call: Call, body: Uint8Array) => Awaitable<AnyAnswer>;
  /** How an error is answered, for a protocol that has a form of its own. Undefined: as that of an RPC in JSON. */
  readonly failed?: (req: Incoming, err: ConnectError) => AnyAnswer | undefined;
}

/** What an endpoint may answer. */
export type AnyAnswer = PlainAnswer | PlainGrpcAnswer | Answer;

/** What serves a page. */
export type PageHandler = (req: Pick<Incoming, "headers" | "url">) => Awaitable<PlainAnswer>;

const NO_BODY = new Uint8Array();

export interface EndpointContext {
  readonly translate: ErrorTranslator;
  readonly bodies: HeldBodies;
}

/** Calls the handler of an endpoint with the body that it takes. `begun`: reading it has begun, or it is there. */
export function callEndpoint(
  endpoint: Endpoint,
  req: Incoming,
  call: Call,
  ctx: EndpointContext,
  begun?: Awaitable<Uint8Array>,
): Awaitable<AnyAnswer> {
  call.procedure = endpoint.procedure;
  if (endpoint.body === "none") return endpoint.answer(req, call, NO_BODY);
  return callWithBody(endpoint, req, call, ctx, begun);
}

/** Reads the body of an endpoint from any sender. */
export function readEndpointBody(
  { bodyBytesMax }: Pick<Endpoint, "bodyBytesMax">,
  req: Incoming,
  call: Call,
  bodies: HeldBodies,
): Awaitable<Uint8Array> {
  return arrivedBody(req, bodyBytesMax) ?? collectBody(req, new CallsBody(call), bodies, bodyBytesMax);
}

/** A body that is read in its turn, so that what is found of it is the call's at once. */
class CallsBody implements BodyOwner {
  readonly call: Call;

  constructor(call: Call) {
    this.call = call;
  }

  set isBodyTooLarge(isTooLarge: true) {
    this.call.isBodyTooLarge = isTooLarge;
  }
}

/** The handler's errors are answered as those of an RPC, unless it has a form of its own; no answer may be stored. */
async function callWithBody(
  endpoint: Endpoint,
  req: Incoming,
  call: Call,
  { translate, bodies }: EndpointContext,
  begun: Awaitable<Uint8Array> | undefined,
): Promise<AnyAnswer> {
  let answered: AnyAnswer;
  try {
    const body = begun ?? readEndpointBody(endpoint, req, call, bodies);
    answered = await endpoint.answer(req, call, body instanceof Promise ? await body : body);
  } catch (err) {
    const translated = translate(err, call);
    answered = endpoint.failed?.(req, translated) ?? failedAnswer(translated, call);
  }
  answered.headers.set("cache-control", "no-store");
  return answered;
}
