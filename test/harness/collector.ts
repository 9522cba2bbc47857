import { createServer, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import protobuf from "protobufjs";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";

/** A span as the collector got it; ids are hexadecimal. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** An OTLP collector on loopback: POST /v1/traces and /v1/metrics in protobuf. */
export interface Collector {
  /** Of traces. */
  readonly url: string;
  readonly metricsUrl: string;
  /** Every span so far. */
  readonly spans: readonly CollectedSpan[];
  /** The bodies of the exports of metrics so far. */
  readonly metricBodies: readonly Buffer[];
  /** The headers of the latest request. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Every byte so far, as text. */
  text(): string;
  close(): Promise<void>;
}

/** The part of OTLP that is read here, with the numbers of opentelemetry-proto. */
const OTLP = `
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1;
    string trace_state = 3;
    bytes parent_span_id = 4;
    string name = 5;
    int32 kind = 6;
    fixed64 start_time_unix_nano = 7;
    fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9;
    Status status = 15;
  }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`;
const REQUEST = protobuf.parse(OTLP).root.lookupType("Request");
const KINDS: Readonly<Record<number, string>> = { 2: "SERVER", 3: "CLIENT" };
const ERROR = 2;

interface Pair {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Pair[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface OtlpSpan {
  readonly traceId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: number;
  readonly endTimeUnixNano: number;
  readonly attributes: readonly Pair[];
  readonly status?: { readonly code: number };
}

/** `hangs`: it takes requests, and answers none. `refusal`: makes what it answers with 401, of the headers it got. */
export async function startCollector({
  port = 0,
  hangs = false,
  refusal,
}: {
  readonly port?: number;
  readonly hangs?: boolean;
  readonly refusal?: (headers: IncomingHttpHeaders) => string;
} = {}): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const metricBodies: Buffer[] = [];
  let headers = {};
  const server = createServer(async (req, res) => {
    const body = await buffer(req);
    headers = req.headers;
    bodies.push(body);
    const isTraces = req.url === "/v1/traces" && req.headers["content-type"] === "application/x-protobuf";
    const isMetrics = req.url === "/v1/metrics" && req.headers["content-type"] === "application/x-protobuf";
    if (isTraces) spans.push(...decode(body));
    if (isMetrics) metricBodies.push(body);
    if (refusal !== undefined) res.writeHead(401).end(refusal(req.headers));
    else if (!hangs) res.writeHead(isTraces || isMetrics ? 200 : 400).end();
  });
  const bound = await listenOnLoopback(server, port);
  return {
    url: `http://127.0.0.1:${bound}/v1/traces`,
    metricsUrl: `http://127.0.0.1:${bound}/v1/metrics`,
    spans,
    metricBodies,
    get headers() {
      return headers;
    },
    text: () => Buffer.concat(bodies).toString("latin1"),
    close: () => closeAll(server),
  };
}

function decode(body: Uint8Array): CollectedSpan[] {
  // What the schema above makes of it.
  const request = REQUEST.toObject(REQUEST.decode(body), { longs: Number, arrays: true }) as OtlpRequest;
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => toCollected(span, toRecord(resource.attributes)))),
  );
}

function toCollected(span: OtlpSpan, resource: Record<string, unknown>): CollectedSpan {
  return {
    traceId: toHex(span.traceId),
    parentSpanId: toHex(span.parentSpanId),
    traceState: span.traceState ?? "",
    name: span.name,
    kind: KINDS[span.kind] ?? "another",
    startMs: span.startTimeUnixNano / 1e6,
    endMs: span.endTimeUnixNano / 1e6,
    attributes: toRecord(span.attributes),
    isError: span.status?.code === ERROR,
    resource,
  };
}

function toHex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("hex");
}

function toRecord(pairs: readonly Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}
