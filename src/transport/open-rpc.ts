import { once } from "node:events";
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { BODY_BYTES_MAX, tooLarge } from "./body.ts";
import type { Incoming, Outgoing } from "./exchange.ts";
import { writeTrailersOnly } from "./write.ts";

/**
 * Answers an RPC of the protocol's own services, reflection and health: without credentials and without a gate, message
 * by message as they come, since the client of a stream may wait for an answer before it sends on.
 */
export async function answerOpenRpc(
  handler: UniversalHandler,
  request: Omit<UniversalServerRequest, "body">,
  req: Incoming,
  res: Outgoing,
  mark: (headers: Headers) => void,
): Promise<UniversalServerResponse> {
  const response = await handler({ ...request, body: bytesOf(req) });
  const headers = response.header ?? new Headers();
  mark(headers);
  const chunks = response.body?.[Symbol.asyncIterator]();
  let chunk = await chunks?.next();
  if (response.trailer !== undefined && chunk?.done !== false) {
    writeTrailersOnly(res, response.status, headers, response.trailer);
    return response;
  }
  res.writeHead(response.status, Object.fromEntries(headers));
  for (; chunk?.done === false; chunk = await chunks?.next()) {
    if (!res.write(chunk.value)) await Promise.race([once(res, "drain"), once(res, "close")]);
  }
  if (response.trailer !== undefined) res.addTrailers(Object.fromEntries(response.trailer));
  res.end();
  return response;
}

/** A request's bytes as they come. Leaving early does not destroy the request, whose answer would be lost with it. */
async function* bytesOf(req: Incoming): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) throw tooLarge();
    yield chunk;
  }
}
