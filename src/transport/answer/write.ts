import type { Outgoing } from "../request/exchange.ts";
import type { UnaryAnswer } from "../unary.ts";
import type { Answer } from "./envelope.ts";

/** Writes an answer of the lean path: head and body in one piece. */
export function writeUnary(res: Outgoing, { status, headers, body }: UnaryAnswer): void {
  const bytes = Buffer.byteLength(body);
  headers.set("content-length", String(bytes));
  res.writeHead(status, headers.list);
  // As many bytes as characters is ASCII, which need not be encoded again.
  res.end(body, bytes === body.length ? "latin1" : "utf8");
}

/** Writes a complete answer. */
export function write(res: Outgoing, { status, headers, body, trailers }: Answer): void {
  if (trailers === undefined) {
    // A 204 must not have a length (RFC 9110, 8.6).
    if (status !== 204) headers.set("Content-Length", String(body.byteLength));
    res.writeHead(status, Object.fromEntries(headers));
    res.end(body);
  } else if (body.byteLength === 0) {
    writeTrailersOnly(res, status, headers, trailers);
  } else {
    headers.delete("Content-Length");
    res.writeHead(status, Object.fromEntries(headers));
    res.write(body);
    res.addTrailers(Object.fromEntries([...trailers].map(encodeGrpcMessage)));
    res.end();
  }
}

/**
 * gRPC's answer without a message, which is its form of an error: one block of headers for everything. Clients show it
 * as the error's metadata, where most of them would not show headers that came before trailers.
 *
 * Not by `writeHead`: over HTTP/2 the block must itself say that it ends the answer, or grpc-js waits for another one.
 */
export function writeTrailersOnly(res: Outgoing, status: number, headers: Headers, trailers: Headers): void {
  headers.delete("Content-Length");
  res.statusCode = status;
  for (const [name, value] of [...headers, ...trailers].map(encodeGrpcMessage)) res.setHeader(name, value);
  res.end();
}

/**
 * gRPC's message encodes the percent sign and what is no visible ASCII or space, and nothing else. Connect encodes more,
 * colons and commas too, which not every client decodes.
 */
export function encodeGrpcMessage([name, value]: [name: string, value: string]): [name: string, value: string] {
  if (name !== "grpc-message") return [name, value];
  return [name, decodeURIComponent(value).replace(/[^\x20-\x24\x26-\x7e]+/gu, encodeURIComponent)];
}
