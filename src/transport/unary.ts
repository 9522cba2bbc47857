import { create, type DescService, fromJson, type Message, toBinary, toJsonString } from "@bufbuild/protobuf";
import { type ContextValues, createContextValues } from "@connectrpc/connect";
import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import { type Call, type CallContext, setCall, type UnaryImpl } from "../interceptors/call.ts";
import { deadlinePassed } from "../interceptors/deadline.ts";
import type { ErrorTranslator } from "../interceptors/errors.ts";
import type { Gate } from "../interceptors/gate/gate.ts";
import { IDEMPOTENCY_KEY, isChange } from "../interceptors/idempotency-key.ts";
import { checkMessage, checkNamedMessage } from "../interceptors/message-checks.ts";
import type { MethodPolicy } from "../interceptors/policies.ts";
import { failedAnswer } from "./answer/failed-answer.ts";
import type { PlainAnswer } from "./answer/plain-answer.ts";
import { PlainHeaders } from "./answer/plain-headers.ts";
import { arrivedBody, collectBody, LENIENT, parseBinary } from "./request/body.ts";
import { clientDisconnectSignal } from "./request/client-disconnect.ts";
import { BodyReader, namesCost } from "./request/cost.ts";
import { type Deadline, deadlineOf } from "./request/deadline.ts";
import type { Incoming, Outgoing } from "./request/exchange.ts";
import type { HeldBodies } from "./request/held-bodies.ts";
import { checkJson } from "./request/json/strict-json.ts";
import { canonicalMediaType, contentTypeOf } from "./request/media-type.ts";
import { cacheMessages } from "./request/message-cache.ts";
import { checkProtocolHeaders, isCompressed } from "./request/protocol-headers.ts";

/** An RPC and what serves it, as `UnaryImpl` has it. */
export interface UnaryImplementation {
  readonly method: CallContext["method"];
  readonly call: (message: Message, context: CallContext) => unknown;
}

/** The unary RPCs of a service. */
export function rpcsOf<Service extends DescService>(
  service: Service,
  implementation: UnaryImpl<Service>,
): UnaryImplementation[] {
  return service.methods
    .filter(({ methodKind }) => methodKind === "unary")
    .map((method) => ({
      method: method as UnaryImplementation["method"],
      // UnaryImpl has a function of this shape for each unary method, by its local name.
      call: implementation[method.localName as keyof typeof implementation] as UnaryImplementation["call"],
    }));
}

type Parse = (body: Uint8Array) => Message;

/** An RPC as the lean path serves it. */
export interface UnaryRpc extends UnaryImplementation {
  readonly procedure: string;
  readonly ignoreUnknownMembers: boolean;
  /** Whether it matters how often it is called. */
  readonly isChange: boolean;
  /** Whether its messages say as how many requests a call counts. */
  readonly namesCost: boolean;
  /** The message that a body is. Throws `RequestFault`. */
  readonly parse: Readonly<Record<Format, Parse>>;
  /** The same, if its values are valid, too. */
  readonly read: Readonly<Record<Format, Parse>>;
}

export interface UnaryOptions {
  readonly gate: Pick<Gate, "check">;
  readonly translate: ErrorTranslator;
  readonly bodies: HeldBodies;
}

type Format = "json" | "proto";

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ["application/json", "json"],
  ["application/proto", "proto"],
]);
const JSON_OPTIONS = { alwaysEmitImplicit: true } as const;

/** Prepares an RPC for the lean path. */
export function createUnaryRpc(
  { method, call }: UnaryImplementation,
  { ignoreUnknownMembers }: Pick<MethodPolicy, "ignoreUnknownMembers">,
): UnaryRpc {
  const { input } = method;
  const parse: UnaryRpc["parse"] = {
    json: (body) => fromJson(input, checkJson(input, body, ignoreUnknownMembers), LENIENT),
    proto: (body) => parseBinary(input, body),
  };
  const checked = (parsed: Parse): Parse =>
    cacheMessages((body) => {
      const message = parsed(body);
      checkMessage(input, message);
      return message;
    });
  const read = { json: checked(parse.json), proto: checked(parse.proto) };
  const procedure = `${method.parent.typeName}/${method.name}`;
  return {
    ...{ method, call, procedure, ignoreUnknownMembers },
    ...{ isChange: isChange(method), namesCost: namesCost(method), parse, read },
  };
}

/**
 * The lean path: a plain unary call in JSON or binary, which nearly every call is, without Connect's streams, abort
 * signals and header copies. Those cost several times what checking a call does.
 *
 * It runs the same checks in the same order (`interceptors/gate/gate.ts`), service, error translation and envelope. The
 * rest (gRPC, gRPC-Web) goes through Connect's handler, except what is compressed: that is refused before.
 * `test/contract` sends the same messages down both and compares the answers.
 */
export function createUnary(ctx: UnaryOptions) {
  function serve(
    rpc: UnaryRpc,
    format: Format,
    req: Incoming,
    res: Outgoing | undefined,
    call: Call,
  ): Awaitable<PlainAnswer> {
    const { method } = rpc;
    call.procedure = rpc.procedure;
    const deadline = deadlineOf(req);
    try {
      // The order of checks, as `gate.ts` has it: headers, body, message.
      const idempotencyKey = rpc.isChange ? idempotencyKeyOf(req) : undefined;
      const read =
        deadline === undefined && idempotencyKey === undefined
          ? rpc.read[format]
          : readUntil(deadline, rpc, format, idempotencyKey);
      const reader = new BodyReader(call, (reader) => messageIn(req, read, reader), identity);
      if (rpc.namesCost) call.costReader = reader;
      const checked = ctx.gate.check(method, call);
      if (checked instanceof Promise) return serveLater(rpc, format, res, call, reader, deadline, checked);
      const message = reader.body();
      if (message instanceof Promise) return serveLater(rpc, format, res, call, reader, deadline, message);
      const output = outputOf(rpc, message, res, call, deadline);
      if (output instanceof Promise) return answerLater(rpc, format, call, output);
      return answerOf(rpc, format, output);
    } catch (err) {
      return failed(err, call);
    }
  }

  async function serveLater(
    rpc: UnaryRpc,
    format: Format,
    res: Outgoing | undefined,
    call: Call,
    reader: BodyReader<Message>,
    deadline: Deadline | undefined,
    before: Promise<unknown>,
  ): Promise<PlainAnswer> {
    try {
      await before;
      const body = reader.body();
      const message = body instanceof Promise ? await body : body;
      const output = outputOf(rpc, message, res, call, deadline);
      return answerOf(rpc, format, output instanceof Promise ? await output : output);
    } catch (err) {
      return failed(err, call);
    }
  }

  async function answerLater(
    rpc: UnaryRpc,
    format: Format,
    call: Call,
    output: Promise<unknown>,
  ): Promise<PlainAnswer> {
    try {
      return answerOf(rpc, format, await output);
    } catch (err) {
      return failed(err, call);
    }
  }

  function failed(err: unknown, call: Call): PlainAnswer {
    return failedAnswer(ctx.translate(err, call), call);
  }

  /** A body that has arrived is read at once: each promise would be one more for every request. */
  function messageIn(req: Incoming, read: Parse, reader: BodyReader<Message>): Awaitable<Message> {
    checkProtocolHeaders(req);
    const arrived = arrivedBody(req);
    return arrived === undefined ? collectBody(req, reader, ctx.bodies).then(read) : read(arrived);
  }

  return {
    /** Serves a plain call; undefined: not a plain call. Without `res` the service does not learn that its client has gone. */
    answer(rpc: UnaryRpc, req: Incoming, res: Outgoing | undefined, call: Call): Awaitable<PlainAnswer> | undefined {
      const format = formatOf(contentTypeOf(req));
      if (format === undefined || req.method !== "POST" || isCompressed(req)) return undefined;
      return serve(rpc, format, req, res, call);
    },
  };
}

/** Runs the service, unless the deadline has passed, and waits for it until then. */
function outputOf(
  { method, call: run }: UnaryRpc,
  message: Message,
  res: Outgoing | undefined,
  call: Call,
  deadline: Deadline | undefined,
): unknown {
  if (deadline?.hasPassed) throw deadlinePassed();
  const output = run(message, new UnaryContext(method, call, res, deadline));
  return deadline !== undefined && output instanceof Promise ? deadline.limit(output) : output;
}

function answerOf({ method }: UnaryRpc, format: Format, output: unknown): PlainAnswer {
  const headers = new PlainHeaders();
  headers.set("content-type", format === "json" ? "application/json" : "application/proto");
  // A service answers the members of its message, as UnaryImpl allows.
  const answer = create(method.output, output as Parameters<typeof create>[1]);
  const body = format === "json" ? toJsonString(method.output, answer, JSON_OPTIONS) : toBinary(method.output, answer);
  return { status: 200, code: "ok", headers, body };
}

/** Whether a message of this type is a plain call. */
export function isPlainType(contentType: string): boolean {
  return formatOf(contentType) !== undefined;
}

function formatOf(contentType: string): Format | undefined {
  return FORMATS.get(contentType) ?? FORMATS.get(canonicalMediaType(contentType));
}

/**
 * After its deadline a call is answered for it before its values are checked, as through Connect's handler. A message that a header
 * names is read again: one that is cached belongs to other calls, too.
 */
function readUntil(
  deadline: Deadline | undefined,
  { method, parse, read }: UnaryRpc,
  format: Format,
  idempotencyKey: string | undefined,
): Parse {
  return (body) => {
    if (deadline?.hasPassed) return parse[format](body);
    if (idempotencyKey === undefined) return read[format](body);
    const message = parse[format](body);
    checkNamedMessage(method, message, idempotencyKey);
    return message;
  };
}

function idempotencyKeyOf({ headers }: Incoming): string | undefined {
  const value = headers[IDEMPOTENCY_KEY];
  return typeof value === "string" ? value : undefined;
}

function identity(message: Message): Message {
  return message;
}

/**
 * What our services read of a context; the signal is made, once, only for the one that waits.
 *
 * A class, since V8 makes a new hidden class for each object literal with a getter, which keeps all that the getter
 * closes over until the next full garbage collection.
 */
class UnaryContext implements CallContext {
  readonly method: CallContext["method"];
  readonly values: ContextValues;
  readonly #res: Outgoing | undefined;
  readonly #deadline: Deadline | undefined;
  #signal: AbortSignal | undefined;

  constructor(method: CallContext["method"], call: Call, res: Outgoing | undefined, deadline: Deadline | undefined) {
    this.method = method;
    this.values = setCall(createContextValues(), call);
    this.#res = res;
    this.#deadline = deadline;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#newSignal();
    return this.#signal;
  }

  #newSignal(): AbortSignal {
    const disconnected = this.#res === undefined ? new AbortController().signal : clientDisconnectSignal(this.#res);
    return this.#deadline === undefined ? disconnected : AbortSignal.any([disconnected, this.#deadline.signal]);
  }
}
