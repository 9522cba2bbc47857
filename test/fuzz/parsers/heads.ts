import { isIP } from "node:net";
import { readCredentials } from "../../../src/domain/access/credentials.ts";
import { parseAddress } from "../../../src/domain/addresses/address.ts";
import { parseRange } from "../../../src/domain/addresses/address-range.ts";
import { traceIdIn } from "../../../src/domain/vocabulary/trace-id.ts";
import { PlainHeaders } from "../../../src/transport/answer/plain-headers.ts";
import { asProblem } from "../../../src/transport/answer/problem.ts";
import { prefersOpenMetrics } from "../../../src/transport/endpoints/open-metrics.ts";
import { page, pageAnswer } from "../../../src/transport/endpoints/page.ts";
import { createFieldCounter } from "../../../src/transport/http/header-fields.ts";
import { acceptsCoding } from "../../../src/transport/request/accept-encoding.ts";
import { createClientAddress } from "../../../src/transport/request/client-address.ts";
import { deadlineOf } from "../../../src/transport/request/deadline.ts";
import type { Incoming } from "../../../src/transport/request/exchange.ts";
import { newCall, pathOf, toWebHeaders } from "../../../src/transport/request/incoming-call.ts";
import { canonicalMediaType, contentTypeOf } from "../../../src/transport/request/media-type.ts";
import { mediaTypeProblem } from "../../../src/transport/request/media-type-problem.ts";
import { createNearPath, isRpcPath } from "../../../src/transport/request/near-path.ts";
import { checkProtocolHeaders, isCompressed, isGrpc } from "../../../src/transport/request/protocol-headers.ts";
import { isPlainType } from "../../../src/transport/unary.ts";
import {
  CONTINUATION,
  END_OF_BOTH,
  END_OF_STREAM,
  field,
  frame,
  GET_ROOT,
  HEADERS,
  PREFACE,
  SETTINGS,
} from "../../harness/http2-frames.ts";
import { holds, type Parser } from "./parser.ts";

const TRUSTED = ["127.0.0.0/8", "10.0.0.0/8"].map((text) => {
  const range = parseRange(text);
  if ("problem" in range) throw new Error(range.problem);
  return range;
});
export const clientAddress = createClientAddress({ ranges: TRUSTED, header: null });
const nearPath = createNearPath(
  ["/api/v1/api-keys/create", "/api/v1/api-keys/list", "/api/v1/orgs/members/list", "/api/v1/auth/verify"],
  ["/auth/check", "/healthz", "/openapi.json"],
  ["/latchkey.v1.ApiKeyService/CreateApiKey"],
);

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const NOT_IN_FIELDS = /[^\t\x20-\x7e\x80-\xff]/g;

/** A request of a trusted proxy as Node reports it: a target, then a header on each line. What Node refuses is not in it. */
export function requestOf(bytes: Buffer): Incoming {
  const [target = "", ...lines] = bytes.toString("latin1").split("\n");
  const rawHeaders: string[] = [];
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    if (!NAME.test(name)) continue;
    const value = line
      .slice(colon + 1)
      .replace(NOT_IN_FIELDS, "")
      .trim();
    rawHeaders.push(name, value);
    const before = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = before === undefined ? value : `${before}, ${value}`;
  }
  const socket = { remoteAddress: "127.0.0.1" };
  return { rawHeaders, headers, url: target, socket, stream: undefined } as unknown as Incoming;
}

const REQUEST = "/api/v1/api-keys/list?a=1\nHost: a\nContent-Type: application/json\n";

/** Target and headers of a request, to all that reads them before the caller is known. */
const head: Parser = {
  seeds: [
    REQUEST,
    `${REQUEST}X-API-Key: sk_4Vd9Qm2Lx\nX-Request-Id: req-1\nOrigin: https://a.example\nSec-Fetch-Site: cross-site`,
    `${REQUEST}Authorization: Bearer a.b.c\nTraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`,
    "http://a/latchkey.v1.AuthService/Verify\nContent-Type: application/grpc-web+proto\nGrpc-Timeout: 5S",
    "/healthz\nContent-Type: application/json; charset=utf-8\nConnect-Timeout-Ms: 10\nConnect-Protocol-Version: 1",
    "/metrics\nAccept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\nContent-Encoding: gzip",
    "/api/v1/apikeys/creat\nAuthorization: Basic YTpi\nAuthorization: Bearer x\nGrpc-Encoding: gzip",
  ],
  words: [
    ...[
      "X-API-Key: ",
      "Authorization: ",
      "Bearer ",
      "Content-Type: ",
      "application/grpc",
      "; charset=utf-8",
      "text/plain",
    ],
    ...["Grpc-Timeout: 1", "Connect-Timeout-Ms: ", "Content-Encoding: ", "/api/v1/", "multipart/form-data", ";q=0.1"],
  ],
  parse(bytes) {
    const req = requestOf(bytes);
    const call = newCall(req, clientAddress);
    holds(/^[\w.-]{1,128}$/.test(call.requestId), "a request's id is short and plain");
    const path = pathOf(req);
    holds(nearPath(path) === undefined || /^[\x20-\x7e]+$/.test(nearPath(path) ?? ""), "a suggestion is our own text");
    isRpcPath(path);
    const traceId = traceIdIn(call.traceparent);
    holds(traceId === undefined || /^[0-9a-f]{32}$/.test(traceId), "a trace's id is 32 digits");
    prefersOpenMetrics(req.headers.accept);
    const type = contentTypeOf(req);
    holds(isPlainType(type) === isPlainType(canonicalMediaType(type)), "a type and its canonical form mean the same");
    holds(/^Content-Type: [\x20-\x7e]+$/.test(mediaTypeProblem(req) ?? "Content-Type: x"), "a problem is our own text");
    holds(!(isGrpc(req) && isPlainType(type)), "a type is of one protocol");
    isCompressed(req);
    deadlineOf(req);
    toWebHeaders(req);
    checkProtocolHeaders(req);
    return readCredentials(call.credentials);
  },
};

/** Headers of proxies. */
const forwarding: Parser = {
  seeds: [
    "/\nX-Forwarded-For: 203.0.113.7, 10.0.0.1",
    "/\nX-Forwarded-For: [2001:db8::1]:443\nX-Forwarded-For: 10.0.0.2:80",
    '/\nForwarded: for="[2001:db8::1]:4711";proto=https;by=10.0.0.1, For=10.0.0.3',
    '/\nForwarded: for="a\\"b", for=unknown\nX-Forwarded-For: 192.0.2.1',
  ],
  words: [
    "X-Forwarded-For: ",
    "Forwarded: ",
    "for=",
    'for="',
    "proto=https",
    "10.0.0.1",
    "::ffff:10.0.0.1",
    "_hidden",
    ", ",
  ],
  parse(bytes) {
    const address = clientAddress.of(requestOf(bytes));
    holds(address === null || isIP(address) !== 0, "a client's address is one, or not known");
  },
};

/** Addresses and ranges. */
const address: Parser = {
  seeds: ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1/32", "10.0.0.0/8", "fe80::1%eth0", "1:2:3:4:5:6:7:8/128"],
  words: ["::", "/128", "/32", "ffff", "0x", "%1", "[", "]"],
  parse(bytes) {
    const text = bytes.toString("latin1");
    const parsed = parseAddress(text);
    holds(parsed === undefined || isIP(text) !== 0, "what is read as an address is one for Node, too");
    holds(
      parsed === undefined || parseAddress(parsed.text)?.text === parsed.text,
      "a canonical address stays as it is",
    );
    const range = parseRange(text);
    if (!("problem" in range))
      holds(range.prefixBits >= 0 && range.prefixBits <= 128, "a prefix is as long as an address");
  },
};

const ERROR = JSON.stringify({ code: "not_found", message: "No such key.", reason: "key_not_found" });
const PAGE = page("text/plain", "a".repeat(2_000), {});

/** What a client prefers: `Accept`, then `Accept-Encoding` and `If-None-Match` on lines of their own. */
const preference: Parser = {
  seeds: [
    "application/problem+json",
    "application/json;q=0.5, application/problem+json;q=0.6\ngzip",
    "Application/Problem+JSON; charset=utf-8;q=1, */*\nidentity;q=0, gzip;q=0.000",
    'text/plain\n*\nW/"a", "b"',
    "application/problem+json;q=0x1\n\n*",
  ],
  words: ["application/problem+json", "application/json", ";q=0", ";q=1.0", "*/*", "gzip", 'W/"', ", "],
  parse(bytes) {
    const [accept = "", coding = "", match = ""] = bytes.toString("latin1").split("\n");
    const error = () => ({
      ...{ status: 404, code: "not_found" as const, headers: new PlainHeaders({ "content-type": "application/json" }) },
      body: ERROR,
    });
    const { status, headers, body } = asProblem(error(), accept, "");
    const [, type] = headers.list;
    const problem = JSON.parse(body.toString());
    holds(status === 404 && problem.code === "not_found", "an answer stays the same error");
    holds((type === "application/problem+json") === "detail" in problem, "a problem's type is said");
    holds(type === "application/json" || /problem\+json/i.test(accept), "nobody gets a problem who has not named it");
    acceptsCoding("gzip", coding);
    holds([200, 304].includes(pageAnswer(PAGE, match).status), "a page is sent, or known");
  },
};

const latin1 = (...parts: readonly Buffer[]): string => Buffer.concat(parts).toString("latin1");
const PADDED = 0x0d;

/** The first bytes of an HTTP/2 connection. The first byte says in what pieces they arrive. */
const frames: Parser = {
  seeds: [
    `a${latin1(Buffer.from(PREFACE), frame(SETTINGS, 0), frame(HEADERS, END_OF_BOTH, GET_ROOT, 1))}`,
    `b${latin1(
      Buffer.from(PREFACE),
      frame(HEADERS, END_OF_STREAM, GET_ROOT, 1),
      frame(CONTINUATION, 0x04, field("x-api-key", "sk_a"), 1),
      frame(HEADERS, PADDED, Buffer.concat([Buffer.from([2]), GET_ROOT, Buffer.alloc(2)]), 3),
    )}`,
    `c${latin1(Buffer.from(PREFACE), frame(HEADERS, END_OF_BOTH, Buffer.alloc(300, 0xff), 1))}`,
  ],
  words: [latin1(frame(HEADERS, END_OF_BOTH, GET_ROOT, 5)), latin1(field("a", "b")), "\xff\x80\x80", "\x3f\xe1"],
  parse(bytes) {
    const sent = bytes.subarray(1);
    const piece = 1 + ((bytes[0] ?? 0) % 64);
    const [whole, pieces] = [createFieldCounter(), createFieldCounter()];
    whole.push(sent);
    for (let at = 0; at < sent.length; at += piece) pieces.push(sent.subarray(at, at + piece));
    holds(whole.unfinished() === pieces.unfinished(), "an unfinished head is one however it arrives");
    for (const stream of [1, 3, 5]) {
      const fields = whole.take(stream);
      holds(fields === pieces.take(stream), "fields are counted alike in any pieces");
      holds(fields === undefined || (Number.isSafeInteger(fields) && fields >= 0), "a count is one");
    }
  },
};

export const HEADS = { head, forwarding, address, preference, frames };
