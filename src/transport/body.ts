import type { IncomingMessage } from "node:http";
import type { DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { RequestFault } from "../domain/request-fault.ts";
import { checkJson } from "./strict-json.ts";

/** Most bytes of a request body: 1 MiB. */
export const BODY_BYTES_MAX = 1_048_576;

/**
 * The body as Connect reads it: nothing is read until the gate has let the caller in, and a JSON body is checked whole
 * before any of it is handed on.
 */
export async function* requestBody(
  req: IncomingMessage,
  schema: DescMessage,
  ignoreUnknownMembers: boolean,
): AsyncGenerator<Uint8Array> {
  const body = await readBody(req);
  if (isJson(req)) {
    try {
      checkJson(schema, body, ignoreUnknownMembers);
    } catch (err) {
      throw err instanceof RequestFault ? new ConnectError(err.message, Code.InvalidArgument) : err;
    }
  }
  yield body;
}

/**
 * Collects a body up to the limit. What exceeds it is read on and thrown away, for at most the server's request
 * timeout: a socket closed under a client that is still sending would lose it the answer.
 */
function readBody(req: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    let bytes = 0;
    req.on("data", (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes <= BODY_BYTES_MAX) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      reject(new ConnectError("body: too large", Code.ResourceExhausted));
    });
    req.on("end", () => resolve(Buffer.concat(chunks)));
    req.on("error", (err) =>
      reject(new ConnectError("the request ended early", Code.Canceled, undefined, undefined, err)),
    );
    req.on("close", () => reject(new ConnectError("the request ended early", Code.Canceled)));
  });
}

function isJson(req: IncomingMessage): boolean {
  return /^application\/json\b/i.test(req.headers["content-type"] ?? "");
}
