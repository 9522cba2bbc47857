import type { Outgoing } from "../request/exchange.ts";
import type { Answer } from "./envelope.ts";
import type { PlainAnswer, PlainGrpcAnswer } from "./plain-answer.ts";

/** Writes a complete answer. */
export function write(res: Outgoing, answer: PlainAnswer | PlainGrpcAnswer | Answer): void {
  if ("trailers" in answer) writeWithTrailers(res, answer);
  else if ("grpcTrailers" in answer) writeGrpc(res, answer);
  else writePlain(res, answer);
}

/** Head and body in one piece. */
function writePlain(res: Outgoing, { status, headers, body }: PlainAnswer): void {
  const bytes = Buffer.byteLength(body);
  // A 204 must not have a length, and a 304 none but that of the page (RFC 9110, 8.6), of which undici then misses the bytes.
  if (status !== 204 && status !== 304) headers.set("content-length", String(bytes));
  res.writeHead(status, headers.list);
  // If there are as many bytes as characters, the text is ASCII, and latin1 is cheaper to encode.
  res.end(body, bytes === body.length ? "latin1" : "utf8");
}

function writeGrpc(res: Outgoing, { status, headers, body, grpcTrailers }: PlainGrpcAnswer): void {
  res.writeHead(status, headers.list);
  res.addTrailers(grpcTrailers);
  res.end(body);
}

function writeWithTrailers(res: Outgoing, { status, headers, body, trailers }: Answer): void {
  if (trailers === undefined) {
    headers.set("Content-Length", String(body.byteLength));
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
 * A gRPC answer without a message, which is how gRPC sends an error: headers and trailers in one block. Clients expose the
 * block as the error's metadata. Most of them would not expose headers that were sent before trailers.
 *
 * It does not use `writeHead`: over HTTP/2 the block itself must end the stream, or grpc-js waits for another block.
 */
export function writeTrailersOnly(res: Outgoing, status: number, headers: Headers, trailers: Headers): void {
  headers.delete("Content-Length");
  res.statusCode = status;
  for (const [name, value] of [...headers, ...trailers].map(encodeGrpcMessage)) res.setHeader(name, value);
  res.end();
}

/**
 * `grpc-message` encodes only the percent sign and characters other than visible ASCII and space. Connect also encodes
 * others, such as colons and commas, which some clients do not decode.
 */
export function encodeGrpcMessage([name, value]: [name: string, value: string]): [name: string, value: string] {
  if (name !== "grpc-message") return [name, value];
  return [name, decodeURIComponent(value).replace(/[^\x20-\x24\x26-\x7e]+/gu, encodeURIComponent)];
}
