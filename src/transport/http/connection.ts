import { type ContextKey, createContextKey } from "@connectrpc/connect";
import type { Incoming } from "../request/exchange.ts";

/** What the requests of one connection have in common and no other's has; absent where there is no connection. */
export const CONNECTION: ContextKey<object | undefined> = createContextKey<object | undefined>(undefined);

/** Over HTTP/1.1 the request itself, since a connection serves one at a time. */
export function connectionOf(req: Incoming): object {
  return req.stream?.session ?? req;
}
