import type { IncomingMessage } from "node:http";
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { invalid, RequestFault } from "../domain/request-fault.ts";
import { checkJson } from "./strict-json.ts";

/** Most bytes of a request body: 1 MiB. */
export const BODY_BYTES_MAX = 1_048_576;
const JSON_TYPE = /^application\/json\b/i;
const BINARY_TYPE = /^application\/proto\b/i;

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
  try {
    if (hasType(req, JSON_TYPE)) checkJson(schema, body, ignoreUnknownMembers);
    else if (hasType(req, BINARY_TYPE)) checkBinary(schema, body);
  } catch (err) {
    throw err instanceof RequestFault ? new ConnectError(err.message, Code.InvalidArgument) : err;
  }
  yield body;
}

/** Connect would answer 500 to what is no message. */
function checkBinary(schema: DescMessage, body: Uint8Array): void {
  try {
    fromBinary(schema, body);
  } catch {
    throw invalid("body", "must be the request message in the binary format of Protocol Buffers");
  }
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

function hasType(req: IncomingMessage, type: RegExp): boolean {
  return type.test(req.headers["content-type"] ?? "");
}
