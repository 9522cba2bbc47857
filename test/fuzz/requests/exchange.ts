import type { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { Client, errors } from "undici";
import type { Request } from "./cases.ts";
import { connectByHttp2 } from "./http2-exchange.ts";

/** What a request was answered. Over gRPC-Web there is no status but 200, so only the code says it. */
export interface Verdict {
  readonly status: number | undefined;
  readonly code: string;
}

/** An answer, or why there is none. */
export type Exchanged =
  | { readonly kind: "answered"; readonly verdict: Verdict; readonly text: string; readonly ms: number }
  | { readonly kind: "unanswered"; readonly problem: string; readonly ms: number }
  /** The client's own library refuses to send it. */
  | { readonly kind: "unsent" };

export type Exchange = (request: Request) => Promise<Exchanged>;

/** Longer than any answer may take; what takes longer is not waited for. */
const GIVEN_UP_MS = 20_000;
const UNSENT: readonly string[] = ["UND_ERR_INVALID_ARG", "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"];

/** Sends requests one after the other over one connection, and those of gRPC over one of HTTP/2. */
export function connectTo(
  url: string,
  givenUpMs = GIVEN_UP_MS,
): { readonly exchange: Exchange; close(): Promise<void> } {
  const options = { headersTimeout: givenUpMs, bodyTimeout: givenUpMs, keepAliveTimeout: 60_000 };
  const client = new Client(url, options);
  const http2 = connectByHttp2(url, givenUpMs);

  async function once({ method, path, fields, body }: Request): Promise<Exchanged> {
    const startedAt = performance.now();
    const since = () => performance.now() - startedAt;
    try {
      const {
        statusCode,
        headers,
        body: answer,
      } = await client.request({
        method: method as "POST",
        path,
        headers: fields.flat(),
        ...(body.length > 0 && method !== "HEAD" && { body }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const verdict = verdictOf(statusCode, headers, bytes);
      return { kind: "answered", verdict, text: bytes.toString(), ms: since() };
    } catch (err) {
      if (err instanceof errors.UndiciError && UNSENT.includes(err.code)) return { kind: "unsent" };
      return { kind: "unanswered", problem: String(err), ms: since() };
    }
  }

  return {
    // A connection may end between two requests, as HTTP/1.1 allows: what is not answered on a new one is not answered.
    async exchange(request) {
      const send = request.grpc === undefined ? once : http2.once;
      const exchanged = await send(request);
      return exchanged.kind === "unanswered" && exchanged.ms < givenUpMs ? send(request) : exchanged;
    },
    async close() {
      http2.close();
      await client.destroy();
    },
  };
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function verdictOf(status: number, headers: Headers, body: Buffer): Verdict {
  const type = String(headers["content-type"] ?? "");
  if (type.startsWith("application/grpc-web")) return { status: undefined, code: grpcCode(headers, body) };
  if (status < 400) return { status, code: "ok" };
  return { status, code: JSON_TYPES.includes(type) ? errorCode(body) : "" };
}

const JSON_TYPES = ["application/json", "application/problem+json"];

/** The code is in the trailers, which are the last message of the body, or in the headers where there is no body. */
function grpcCode(headers: Headers, body: Buffer): string {
  let text = `grpc-status: ${headers["grpc-status"]}`;
  for (let at = 0; at + 5 <= body.length; at += 5 + body.readUInt32BE(at + 1)) {
    if (((body[at] ?? 0) & 0x80) !== 0) text = body.toString("latin1", at + 5);
  }
  const [, number] = /grpc-status: ?(\d+)/.exec(text) ?? [];
  return codeOf(number);
}

/** Of a status of gRPC. Undefined: there is none, which is a failure. */
export function codeOf(number = "2"): string {
  return number === "0" ? "ok" : codeToString(Number(number) as Code);
}

/** The errors of the token endpoint are OAuth's. */
function errorCode(body: Buffer): string {
  try {
    const { code, error } = JSON.parse(body.toString());
    return String(code ?? error);
  } catch {
    return "";
  }
}
