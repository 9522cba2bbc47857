import { type ContextKey, createContextKey } from "@connectrpc/connect";
import type { Incoming } from "../request/exchange.ts";

/** An object that identifies the connection of a request. Absent where there is no connection. */
export const CONNECTION: ContextKey<object | undefined> = createContextKey<object | undefined>(undefined);

/** Over HTTP/1.1 it is the request itself, since a connection serves one request at a time. */
export function connectionOf(req: Incoming): object {
  return req.stream?.session ?? req;
}
