import type { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { Client, errors } from "undici";
import type { Request } from "./cases.ts";

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

/** Sends requests one after the other over one connection. */
export function connectTo(
  url: string,
  givenUpMs = GIVEN_UP_MS,
): { readonly exchange: Exchange; close(): Promise<void> } {
  const options = { headersTimeout: givenUpMs, bodyTimeout: givenUpMs, keepAliveTimeout: 60_000 };
  const client = new Client(url, options);

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
      const exchanged = await once(request);
      return exchanged.kind === "unanswered" && exchanged.ms < givenUpMs ? once(request) : exchanged;
    },
    close: () => client.destroy(),
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

function verdictOf(status: number, headers: Headers, body: Buffer): Verdict {
  const type = String(headers["content-type"] ?? "");
  if (type.startsWith("application/grpc-web")) return { status: undefined, code: grpcCode(headers, body) };
  if (status < 400) return { status, code: "ok" };
  return { status, code: type === "application/json" ? String(parsed(body).code) : "" };
}

/** The code is in the trailers, which are the last message of the body, or in the headers where there is no body. */
function grpcCode(headers: Headers, body: Buffer): string {
  let text = `grpc-status: ${headers["grpc-status"]}`;
  for (let at = 0; at + 5 <= body.length; at += 5 + body.readUInt32BE(at + 1)) {
    if (((body[at] ?? 0) & 0x80) !== 0) text = body.toString("latin1", at + 5);
  }
  const [, number = "2"] = /grpc-status: ?(\d+)/.exec(text) ?? [];
  return number === "0" ? "ok" : codeToString(Number(number) as Code);
}

function parsed(body: Buffer): { readonly code?: unknown } {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}
