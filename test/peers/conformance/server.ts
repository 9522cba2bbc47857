import { readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  create,
  createFileRegistry,
  type DescService,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { anyPack, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createConnectRouter, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { pino } from "pino";
import { Registry } from "prom-client";
import type { UnaryImpl } from "../../../src/interceptors/call.ts";
import { createErrorReporter, createErrorTranslator } from "../../../src/interceptors/errors.ts";
import { createAccessLog } from "../../../src/observability/log/access-log.ts";
import { createCors } from "../../../src/transport/answer/cors.ts";
import { createHandler } from "../../../src/transport/handler.ts";
import { listen } from "../../../src/transport/http/server.ts";
import { createHeldBodies } from "../../../src/transport/request/held-bodies.ts";
import { rpcsOf } from "../../../src/transport/unary.ts";
import { LISTEN_OPTIONS } from "../../harness/listen-options.ts";
import { NOTHING_SHED } from "../../harness/no-bounds.ts";
import { dashboardUser } from "../../harness/principals.ts";
import { type Context, createLeanContexts, openPolicy } from "./lean-path.ts";

/**
 * The suite's service on our transport: a program that connectconformance starts for each combination of version and TLS. It
 * reads what to listen on from stdin, and writes where it listens to stdout. Its arguments are the folder with the suite's protos,
 * and `lean` to have unary calls served as those of our own services are: plain ones by the lean path. Else Connect's handler
 * serves all.
 */

const [, , folder = ".", way] = process.argv;
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(join(folder, "protos.binpb"))));
const PACKAGE = "connectrpc.conformance.v1";

interface Header {
  readonly name: string;
  readonly value: readonly string[];
}
interface WireError {
  readonly code: Code;
  readonly message?: string;
  readonly details: readonly { readonly typeUrl: string; readonly value: Uint8Array }[];
}
/** What both definitions of a response have. */
interface Definition {
  readonly responseHeaders: readonly Header[];
  readonly responseTrailers: readonly Header[];
  readonly responseDelayMs: number;
  readonly response?: { readonly case?: "responseData" | "error"; readonly value?: Uint8Array | WireError };
  readonly responseData?: readonly Uint8Array[];
  readonly error?: WireError;
}
interface Request {
  readonly $typeName: string;
  readonly responseDefinition?: Definition;
  readonly fullDuplex?: boolean;
}

const message = (name: string) => {
  const found = registry.getMessage(`${PACKAGE}.${name}`);
  if (found === undefined) throw new Error(`the suite has no ${name}`);
  return found;
};
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function requestInfo(context: Context, requests: readonly Request[]) {
  const timeoutMs = context.timeoutMs();
  return {
    requestHeaders: [...context.requestHeader].map(([name, value]) => ({ name, value: [value] })),
    ...(timeoutMs !== undefined && { timeoutMs: BigInt(Math.trunc(timeoutMs)) }),
    requests: requests.map((request) =>
      anyPack(message(request.$typeName.slice(PACKAGE.length + 1)), request as never),
    ),
  };
}

function sendHeaders(context: Context, { responseHeaders, responseTrailers }: Definition): void {
  for (const { name, value } of responseHeaders) for (const one of value) context.responseHeader.append(name, one);
  for (const { name, value } of responseTrailers) for (const one of value) context.responseTrailer.append(name, one);
}

function failure({ code, message: text = "", details }: WireError, info?: Record<string, unknown>): ConnectError {
  const err = new ConnectError(text, code);
  const type = (typeUrl: string) => typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
  err.details = details.map(({ typeUrl, value }) => ({ type: type(typeUrl), value }));
  const schema = message("ConformancePayload.RequestInfo");
  if (info !== undefined) err.details.push({ type: schema.typeName, value: toBinary(schema, create(schema, info)) });
  return err;
}

const lean = createLeanContexts();

async function unary(request: Request, handlerContext: HandlerContext) {
  const context = lean.contextOf(handlerContext);
  const { responseDefinition: definition } = request;
  const info = requestInfo(context, [request]);
  if (definition === undefined) return { payload: { requestInfo: info } };
  sendHeaders(context, definition);
  if (definition.responseDelayMs > 0) await wait(definition.responseDelayMs);
  const { response } = definition;
  if (response?.case === "error") throw failure(response.value as WireError, info);
  return { payload: { data: response?.value, requestInfo: info } };
}

async function* answers(definition: Definition | undefined, context: HandlerContext, requests: readonly Request[]) {
  if (definition === undefined) return;
  sendHeaders(context, definition);
  let isFirst = true;
  for (const data of definition.responseData ?? []) {
    if (definition.responseDelayMs > 0) await wait(definition.responseDelayMs);
    yield { payload: { data, ...(isFirst && { requestInfo: requestInfo(context, requests) }) } };
    isFirst = false;
  }
  if (definition.error !== undefined)
    throw failure(definition.error, isFirst ? requestInfo(context, requests) : undefined);
}

async function* bidiStream(requests: AsyncIterable<Request>, context: HandlerContext) {
  const all: Request[] = [];
  let definition: Definition | undefined;
  let isFullDuplex = false;
  let sent = 0;
  for await (const request of requests) {
    if (all.length === 0) {
      definition = request.responseDefinition;
      isFullDuplex = request.fullDuplex === true;
      if (definition !== undefined) sendHeaders(context, definition);
    }
    all.push(request);
    if (!isFullDuplex) continue;
    const data = definition?.responseData?.[sent];
    if (definition === undefined || data === undefined) break;
    if (definition.responseDelayMs > 0) await wait(definition.responseDelayMs);
    sent += 1;
    yield { payload: { data, requestInfo: requestInfo(context, [request]) } };
  }
  if (definition === undefined) return;
  for (const data of definition.responseData?.slice(sent) ?? []) {
    if (definition.responseDelayMs > 0) await wait(definition.responseDelayMs);
    yield { payload: { data, ...(sent === 0 && { requestInfo: requestInfo(context, all) }) } };
    sent += 1;
  }
  if (definition.error !== undefined)
    throw failure(definition.error, sent === 0 ? requestInfo(context, all) : undefined);
}

const implementation = {
  unary,
  // What Connect's router makes of an RPC without an implementation. The lean path has none of these.
  unimplemented() {
    throw new ConnectError("Unimplemented is not implemented", Code.Unimplemented);
  },
  idempotentUnary: unary,
  serverStream: (request: Request, context: HandlerContext) => answers(request.responseDefinition, context, [request]),
  bidiStream,
};

/** A message with its length before it, as the suite sends and expects one. */
function readRequest() {
  const exactly = (bytes: number): Buffer => {
    const buffer = Buffer.alloc(bytes);
    for (let at = 0; at < bytes; ) at += readSync(0, buffer, at, bytes - at, null);
    return buffer;
  };
  return fromBinary(message("ServerCompatRequest"), exactly(exactly(4).readUInt32BE())) as unknown as {
    useTls: boolean;
    messageReceiveLimit: number;
    serverCreds?: { cert: Uint8Array; key: Uint8Array };
  };
}

const { useTls, messageReceiveLimit, serverCreds } = readRequest();
const service = registry.getService(`${PACKAGE}.ConformanceService`) as DescService;
const principal = dashboardUser();
const metrics = new Registry();
const { handlers } = createConnectRouter({
  ...(messageReceiveLimit > 0 && { readMaxBytes: messageReceiveLimit }),
  acceptCompression: [],
  jsonOptions: { registry },
}).service(service, implementation as unknown as Partial<ServiceImpl<DescService>>);
const served = handlers.filter(({ method }) => method.methodKind !== "client_streaming");
const isLean = ({ method }: UniversalHandler) => way === "lean" && method.methodKind === "unary";
const handler = createHandler({
  handlers: served.filter(isLean),
  rpcs: way === "lean" ? rpcsOf(service, implementation as unknown as UnaryImpl<DescService>) : [],
  openHandlers: served.filter((one) => !isLean(one)),
  clientAddress: lean.clientAddress,
  docsUrl: "",
  gate: { check: async () => principal, identify: async () => {}, refuse: async () => {}, conclude: () => {} },
  translate: createErrorTranslator(createErrorReporter(() => {})),
  endpoints: [],
  policies: new Map(served.map(({ method }) => [method, openPolicy(method)])),
  cors: createCors("*"),
  accessLog: createAccessLog({ log: pino({ level: "silent" }), reportError: () => {}, writeLine: () => {}, metrics }),
  inFlight: { requests: 0 },
  bodies: createHeldBodies(0),
  overload: NOTHING_SHED,
});
let tls = null;
if (useTls && serverCreds !== undefined) {
  tls = { certFile: join(folder, `${process.pid}.cert`), keyFile: join(folder, `${process.pid}.key`) };
  writeFileSync(tls.certFile, serverCreds.cert);
  writeFileSync(tls.keyFile, serverCreds.key, { mode: 0o600 });
}
const server = await listen(lean.listener(handler), { ...LISTEN_OPTIONS, tls });
const schema = message("ServerCompatResponse");
const where: MessageInitShape<typeof schema> = {
  host: "127.0.0.1",
  port: Number(new URL(server.url).port),
  ...(serverCreds !== undefined && { pemCert: serverCreds.cert }),
};
const answer = toBinary(schema, create(schema, where));
const length = Buffer.alloc(4);
length.writeUInt32BE(answer.byteLength);
process.stdout.write(Buffer.concat([length, answer]));
