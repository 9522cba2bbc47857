import {
  create,
  type DescMessage,
  type DescService,
  fromJson,
  type Message,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { type ConnectError, type ContextValues, createContextValues } from "@connectrpc/connect";
import { codeToHttpStatus, errorToJson } from "@connectrpc/connect/protocol-connect";
import type { Awaitable } from "../domain/vocabulary/awaitable.ts";
import { type Call, type CallContext, setCall, type UnaryImpl } from "../interceptors/call.ts";
import type { ErrorTranslator } from "../interceptors/errors.ts";
import type { Gate } from "../interceptors/gate/gate.ts";
import { checkMessage } from "../interceptors/order.ts";
import { type Policies, policyOf } from "../interceptors/policies.ts";
import { errorBody } from "./answer/envelope.ts";
import { PlainHeaders } from "./answer/plain-headers.ts";
import type { UnaryAnswer } from "./answer/unary-answer.ts";
import { arrivedBody, type BodyFlags, collectBody, LENIENT, parseBinary } from "./request/body.ts";
import { clientDisconnectSignal } from "./request/client-disconnect.ts";
import { BodyReader, namesCost } from "./request/cost.ts";
import type { Incoming, Outgoing } from "./request/exchange.ts";
import { checkJson } from "./request/json/strict-json.ts";
import { canonicalMediaType, contentTypeOf } from "./request/media-type.ts";
import { cacheMessages } from "./request/message-cache.ts";
import { checkProtocolHeaders } from "./request/protocol-headers.ts";

/** An RPC and what serves it, as `UnaryImpl` has it. */
export interface UnaryRpc {
  readonly method: CallContext["method"];
  readonly call: (message: Message, context: CallContext) => unknown;
}

/** The unary RPCs of a service. */
export function rpcsOf<Service extends DescService>(service: Service, implementation: UnaryImpl<Service>): UnaryRpc[] {
  return service.methods
    .filter(({ methodKind }) => methodKind === "unary")
    .map((method) => ({
      method: method as UnaryRpc["method"],
      // UnaryImpl has a function of this shape for each unary method, by its local name.
      call: implementation[method.localName as keyof typeof implementation] as UnaryRpc["call"],
    }));
}

interface Route extends UnaryRpc {
  readonly procedure: string;
  /** Whether its messages say as how many requests a call counts. */
  readonly namesCost: boolean;
  /** The valid message that a body is. Throws `RequestFault`. */
  readonly read: Readonly<Record<Format, (body: Uint8Array) => Message>>;
}

export interface UnaryOptions {
  readonly rpcs: readonly UnaryRpc[];
  readonly gate: Pick<Gate, "check">;
  readonly policies: Policies;
  readonly translate: ErrorTranslator;
}

type Format = "json" | "proto";

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ["application/json", "json"],
  ["application/proto", "proto"],
]);
const JSON_OPTIONS = { alwaysEmitImplicit: true } as const;

/**
 * The lean path: a plain unary call in JSON or binary, which nearly every call is, without Connect's streams, abort
 * signals and header copies. Those cost several times what checking a call does.
 *
 * It runs the same order of checks (`interceptors/order.ts`), service, error translation and envelope. The
 * rest (gRPC, gRPC-Web, time limits) goes through Connect's handler, except what is compressed: that is refused before.
 * `test/contract` sends the same requests down both and compares the answers.
 */
export function createUnary(ctx: UnaryOptions) {
  const routes = new Map<string, Route>();
  for (const { method, call } of ctx.rpcs) {
    const { path, ignoreUnknownMembers } = policyOf(ctx.policies, method);
    const procedure = `${method.parent.typeName}/${method.name}`;
    const read = {
      json: cacheMessages((body) => readJson(method.input, body, ignoreUnknownMembers)),
      proto: cacheMessages((body) => readBinary(method.input, body)),
    };
    const route = { method, call, procedure, namesCost: namesCost(method), read };
    routes.set(path, route);
    routes.set(`/${procedure}`, route);
  }

  function serve(route: Route, format: Format, req: Incoming, res: Outgoing, call: Call): Awaitable<UnaryAnswer> {
    const { method } = route;
    call.procedure = route.procedure;
    try {
      // The order of checks, as `order.ts` has it: headers, body, message.
      const reader = new BodyReader(call, (flags) => messageIn(req, route.read[format], flags), identity);
      if (route.namesCost) call.costReader = reader;
      const checked = ctx.gate.check(method, call);
      if (checked instanceof Promise) return serveLater(route, format, res, call, reader, checked);
      const message = reader.body();
      if (message instanceof Promise) return serveLater(route, format, res, call, reader, message);
      const output = route.call(message, new UnaryContext(method, call, res));
      if (output instanceof Promise) return answerLater(route, format, call, output);
      return answerOf(route, format, output);
    } catch (err) {
      return failed(err, call);
    }
  }

  async function serveLater(
    route: Route,
    format: Format,
    res: Outgoing,
    call: Call,
    reader: BodyReader<Message>,
    before: Promise<unknown>,
  ): Promise<UnaryAnswer> {
    try {
      await before;
      const body = reader.body();
      const message = body instanceof Promise ? await body : body;
      const output = route.call(message, new UnaryContext(route.method, call, res));
      return answerOf(route, format, output instanceof Promise ? await output : output);
    } catch (err) {
      return failed(err, call);
    }
  }

  async function answerLater(route: Route, format: Format, call: Call, output: Promise<unknown>): Promise<UnaryAnswer> {
    try {
      return answerOf(route, format, await output);
    } catch (err) {
      return failed(err, call);
    }
  }

  function failed(err: unknown, call: Call): UnaryAnswer {
    return failedAnswer(ctx.translate(err, call), new PlainHeaders(), call);
  }

  return {
    /** Serves a request that is one for this path; undefined: it is not. */
    answer(path: string, req: Incoming, res: Outgoing, call: Call): Awaitable<UnaryAnswer> | undefined {
      const route = routes.get(path);
      const format = formatOf(contentTypeOf(req));
      if (route === undefined || format === undefined || req.method !== "POST" || asksForMore(req)) return undefined;
      return serve(route, format, req, res, call);
    },
  };
}

function answerOf({ method }: Route, format: Format, output: unknown): UnaryAnswer {
  const headers = new PlainHeaders();
  headers.set("content-type", format === "json" ? "application/json" : "application/proto");
  // A service answers the members of its message, as UnaryImpl allows.
  const answer = create(method.output, output as Parameters<typeof create>[1]);
  const body = format === "json" ? toJsonString(method.output, answer, JSON_OPTIONS) : toBinary(method.output, answer);
  return { status: 200, code: "ok", headers, body };
}

function formatOf(contentType: string): Format | undefined {
  return FORMATS.get(contentType) ?? FORMATS.get(canonicalMediaType(contentType));
}

/** For more than the lean path can do. */
function asksForMore({ headers }: Incoming): boolean {
  return headers["content-encoding"] !== undefined || headers["connect-timeout-ms"] !== undefined;
}

/** A body that has arrived is read at once: each promise would be one more for every request. */
function messageIn(req: Incoming, read: (body: Uint8Array) => Message, flags: BodyFlags): Awaitable<Message> {
  checkProtocolHeaders(req);
  const arrived = arrivedBody(req);
  return arrived === undefined ? collectBody(req, flags).then(read) : read(arrived);
}

function identity(message: Message): Message {
  return message;
}

function readJson(schema: DescMessage, body: Uint8Array, ignoreUnknownMembers: boolean): Message {
  const message = fromJson(schema, checkJson(schema, body, ignoreUnknownMembers), LENIENT);
  checkMessage(schema, message);
  return message;
}

function readBinary(schema: DescMessage, body: Uint8Array): Message {
  const message = parseBinary(schema, body);
  checkMessage(schema, message);
  return message;
}

/** An error as the answer to a plain call, its metadata as headers. */
export function failedAnswer(
  err: ConnectError,
  headers: PlainHeaders,
  call: Call,
): UnaryAnswer & { readonly body: string } {
  const { text, ...outcome } = errorBody(codeToHttpStatus(err.code), errorToJson(err, JSON_OPTIONS), call);
  headers.set("content-type", "application/json");
  for (const [name, value] of err.metadata) headers.set(name, value);
  return { ...outcome, headers, body: text };
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
  readonly #res: Outgoing;
  #signal: AbortSignal | undefined;

  constructor(method: CallContext["method"], call: Call, res: Outgoing) {
    this.method = method;
    this.values = setCall(createContextValues(), call);
    this.#res = res;
  }

  get signal(): AbortSignal {
    this.#signal ??= clientDisconnectSignal(this.#res);
    return this.#signal;
  }
}
