import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import type { Call } from "../../interceptors/call.ts";
import { type AnswerCode, codeInJson } from "../../transport/answer/answer-code.ts";
import type { PlainAnswer } from "../../transport/answer/plain-answer.ts";
import { PlainHeaders } from "../../transport/answer/plain-headers.ts";
import { READYZ_PATH } from "../../transport/endpoints/probes.ts";
import type { ClientAddress } from "../../transport/request/client-address.ts";
import type { Incoming } from "../../transport/request/exchange.ts";
import { TARGET_HEADERS } from "../../transport/request/forwarded-target.ts";

/** The service that an edge asks about what it cannot decide. */
export interface Upstream {
  /**
   * Passes a request on as it came, with its client's address, and returns the answer. Rejects without one within 2 s.
   * `body` is undefined for a request whose body says nothing.
   */
  pass(req: Incoming, call: Call, body: Uint8Array | undefined): Promise<PlainAnswer>;
  /** Rejects if the service is not ready. */
  ping(): Promise<void>;
  close(): void;
}

interface Question {
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | undefined;
}

const TIMEOUT_MS = 2_000;
/** Of an answer, which is a caller or a denial. */
const ANSWER_BYTES_MAX = 1_048_576;
const CONNECTIONS_MAX = 256;

/** Headers of a connection, and those that are set again. Answers are read as they come, so none may be compressed. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-forwarded-for",
  "x-request-id",
]);

/** `baseUrl` has no slash at its end. */
export function createUpstream(baseUrl: string, { isFromProxy }: Pick<ClientAddress, "isFromProxy">): Upstream {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/$/, "");
  const isSecure = protocol === "https:";
  const options = { keepAlive: true, maxSockets: CONNECTIONS_MAX };
  const agent = isSecure ? new HttpsAgent(options) : new HttpAgent(options);
  const start = isSecure ? httpsRequest : httpRequest;
  const host = hostname.replace(/^\[(.*)\]$/, "$1");

  function send({ method, target, headers, body }: Question): Promise<PlainAnswer> {
    return new Promise((resolve, reject) => {
      const sent: RequestOptions = {
        ...{ agent, host, port, method, path: prefix + target },
        headers: headers as RequestOptions["headers"] & object,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      };
      const req = start(sent, (res) => void answerOf(res).then(resolve, reject));
      req.once("error", reject);
      req.end(body);
    });
  }

  return {
    pass(req, call, body) {
      const length = body === undefined ? {} : { "content-length": String(body.byteLength) };
      const method = body === undefined ? "GET" : "POST";
      return send({
        method,
        target: targetOf(req),
        headers: { ...passedHeaders(req, call, isFromProxy(req)), ...length },
        body,
      });
    },
    async ping() {
      const { status } = await send({ method: "GET", target: READYZ_PATH, headers: {}, body: undefined });
      if (status !== 200) throw new Error(`the service answers ${status} to ${READYZ_PATH}`);
    },
    close: () => agent.destroy(),
  };
}

/** As it was sent, but without the host of an absolute form. */
function targetOf({ url = "" }: Incoming): string {
  return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/]+/i, "");
}

/**
 * All headers that say something of the request, repeated ones, too. The client's address is appended to both headers that may
 * say it: the service reads the one that it trusts. `unknown` where it is not known, since the address of this edge would be
 * wrong. The service believes this edge: a client that is not a proxy must not choose for which request a proof counts there.
 */
function passedHeaders(
  { rawHeaders }: Incoming,
  { requestId, address }: Call,
  isFromProxy: boolean,
): Record<string, string | string[]> {
  const passed = new Map<string, string[]>();
  const add = (name: string, value: string): void => void passed.set(name, [...(passed.get(name) ?? []), value]);
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? "";
    const isPassed = !name.startsWith(":") && !NOT_PASSED.has(name) && (isFromProxy || !TARGET_HEADERS.has(name));
    if (isPassed) add(name, rawHeaders[i + 1] ?? "");
  }
  add("x-forwarded-for", [...valuesOf("x-forwarded-for", rawHeaders), address ?? "unknown"].join(", "));
  add("forwarded", [...valuesOf("forwarded", rawHeaders), `for="${nodeOf(address)}"`].join(", "));
  add("x-request-id", requestId);
  return Object.fromEntries(Array.from(passed, ([name, values]) => [name, oneOrAll(values)]));
}

function valuesOf(name: string, rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((value, i) => i % 2 === 1 && value !== "" && rawHeaders[i - 1]?.toLowerCase() === name);
}

/** RFC 7239, 6. */
function nodeOf(address: string | null): string {
  if (address === null) return "unknown";
  return address.includes(":") ? `[${address}]` : address;
}

/** Some of Node's headers take no list. */
function oneOrAll(values: string[]): string | string[] {
  const [only, another] = values;
  return only !== undefined && another === undefined ? only : values;
}

async function answerOf(res: IncomingMessage): Promise<PlainAnswer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of res) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const { statusCode: status = 0, rawHeaders } = res;
  const headers = new PlainHeaders();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? "";
    if (!NOT_PASSED.has(name) && name !== "date") headers.append(name, rawHeaders[i + 1] ?? "");
  }
  const body = Buffer.concat(chunks);
  return { status, code: status < 400 ? "ok" : codeIn(body.toString()), headers, body };
}

/** For the log and the metrics. What stands before the service may answer anything. */
function codeIn(text: string): AnswerCode {
  try {
    const error: unknown = JSON.parse(text);
    return isJsonObject(error) ? codeInJson(error) : "unknown";
  } catch {
    return "unknown";
  }
}
