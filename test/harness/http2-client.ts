import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { JsonObject } from "./http.ts";

export interface Http2Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly json: JsonObject;
}

/** A POST of JSON over an HTTP/2 connection of its own. */
export async function postHttp2(
  url: string,
  path: string,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): Promise<Http2Answer> {
  const session = connect(url);
  try {
    return await Promise.race([postOn(session, path, body, headers), failureOf(session)]);
  } finally {
    session.close();
  }
}

/** A POST of JSON over a connection. Those of one tick arrive together. */
export function postOn(
  session: ClientHttp2Session,
  path: string,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: path,
      "content-type": "application/json",
      ...headers,
    });
    let answered: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
    let text = "";
    stream.on("response", (received) => {
      answered = received;
    });
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    stream.on("error", reject);
    stream.on("end", () => {
      const json: JsonObject = text === "" ? {} : JSON.parse(text);
      resolve({ status: answered[":status"], headers: answered, json });
    });
    stream.end(typeof body === "string" ? body : JSON.stringify(body));
  });
}

function failureOf(session: ClientHttp2Session): Promise<never> {
  return new Promise((_, reject) => session.on("error", reject));
}
