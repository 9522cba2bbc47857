import type { Incoming } from "./exchange.ts";

/** Why the rest of a body will never arrive, although its client is still connected and can get an answer. */
export interface BodyFault {
  readonly fault: "bad_request" | "headers_too_large" | "request_timeout";
  readonly message: string;
}

const BODY_FAULT = "latchkey.body-fault";
const faults = new WeakMap<Incoming, BodyFault>();

/** Reports a fault to the current or later reader of a request's body. Destroying the request would end its connection. */
export function reportBodyFault(req: Incoming, fault: BodyFault): void {
  faults.set(req, fault);
  req.emit(BODY_FAULT, fault);
}

/** The fault that was reported of a request's body. Undefined without one, or if the request has arrived completely. */
export function bodyFault(req: Incoming): BodyFault | undefined {
  return req.complete ? undefined : faults.get(req);
}

/** Calls `listener` when a fault of the request's body is reported; at once, if there is one already. */
export function onBodyFault(req: Incoming, listener: (fault: BodyFault) => void): void {
  const fault = bodyFault(req);
  if (fault === undefined) req.once(BODY_FAULT, listener);
  else listener(fault);
}
