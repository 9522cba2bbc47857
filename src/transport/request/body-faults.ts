import type { Incoming } from "./exchange.ts";

/** Why the rest of a body will never come, though its client is there to be told. */
export interface BodyFault {
  readonly fault: "bad_request" | "headers_too_large" | "request_timeout";
  readonly message: string;
}

const BROKEN = "latchkey.broken";
const broken = new WeakMap<Incoming, BodyFault>();

/** Tells whoever reads a request's body, now or later. Destroying the request instead would take its connection along. */
export function reportBodyFault(req: Incoming, body: BodyFault): void {
  broken.set(req, body);
  req.emit(BROKEN, body);
}

/** What is wrong with a request's body, if it is broken. */
export function bodyFault(req: Incoming): BodyFault | undefined {
  return req.complete ? undefined : broken.get(req);
}

/** Calls back when a request's body breaks; at once, if it is broken. */
export function onBodyFault(req: Incoming, tell: (body: BodyFault) => void): void {
  const body = bodyFault(req);
  if (body === undefined) req.once(BROKEN, tell);
  else tell(body);
}
