import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { fromBinary } from "@bufbuild/protobuf";
import { CheckResponseSchema } from "../../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { ENVOY_CHECK } from "../../../src/transport/endpoints/envoy-check.ts";
import type { Request } from "./cases.ts";
import { codeOf, type Exchanged, type Headers, type Verdict, verdictOf } from "./exchange.ts";

const WITHOUT_BODY = ["GET", "HEAD", "DELETE", "OPTIONS"];
const ENVELOPE_HEAD_BYTES = 5;

/** Sends requests of gRPC one after the other over one connection of HTTP/2. */
export function connectByHttp2(
  url: string,
  givenUpMs: number,
): { once(request: Request): Promise<Exchanged>; close(): void } {
  let session: ClientHttp2Session | undefined;

  function opened(): ClientHttp2Session {
    if (session === undefined || session.closed || session.destroyed) {
      // An error of the session is one of each of its streams.
      session = connect(url).on("error", () => {});
    }
    return session;
  }

  return {
    async once(request) {
      const startedAt = performance.now();
      const since = () => performance.now() - startedAt;
      let stream: ClientHttp2Stream;
      try {
        stream = opened().request(headersOf(request));
      } catch {
        return { kind: "unsent" };
      }
      return new Promise((resolve) => {
        let [headers, trailers]: [Headers, Headers] = [{}, {}];
        const chunks: Buffer[] = [];
        const settle = (exchanged: Exchanged): void => {
          clearTimeout(timeout);
          stream.close();
          resolve(exchanged);
        };
        const answered = (): void => {
          const body = Buffer.concat(chunks);
          if (headers[":status"] === undefined) unanswered("no response");
          else
            settle({
              kind: "answered",
              verdict: ofGrpc(request, headers, trailers, body),
              text: String(body),
              ms: since(),
            });
        };
        const unanswered = (problem: string): void => settle({ kind: "unanswered", problem, ms: since() });
        const timeout = setTimeout(() => unanswered("given up"), givenUpMs);
        stream.on("response", (received) => {
          headers = received as Headers;
        });
        stream.on("trailers", (received) => {
          trailers = received as Headers;
        });
        stream.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          if (request.grpc === "endless") answered();
        });
        stream.on("end", answered).on("error", (err) => unanswered(String(err)));
        stream.end(WITHOUT_BODY.includes(request.method) ? undefined : request.body);
      });
    },
    close: () => session?.destroy(),
  };
}

function headersOf({ method, path, fields }: Request) {
  const headers: Record<string, string | string[]> = { ":method": method, ":path": path, te: "trailers" };
  for (const [name, value] of fields) {
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

function ofGrpc({ path, grpc }: Request, headers: Headers, trailers: Headers, body: Buffer): Verdict {
  if (!String(headers["content-type"]).startsWith("application/grpc")) {
    return verdictOf(Number(headers[":status"]), headers, body);
  }
  const status = trailers["grpc-status"] ?? headers["grpc-status"];
  if (status === undefined && grpc === "endless") return { status: undefined, code: "ok" };
  // What Envoy is answered is in the message.
  if (status === "0" && path === `/${ENVOY_CHECK}`) {
    const answer = fromBinary(CheckResponseSchema, body.subarray(ENVELOPE_HEAD_BYTES));
    return { status: undefined, code: codeOf(String(answer.status?.code ?? 2)) };
  }
  return { status: undefined, code: codeOf(status === undefined ? undefined : String(status)) };
}
