import type { Principal } from "../access/principal.ts";
import { traceIdIn } from "../vocabulary/trace-id.ts";
import type { Actor, Origin } from "./event.ts";

/** The parts of a call that say where it came from. */
export interface OriginalCall {
  readonly requestId: string;
  /** The client's, in canonical text. Null: not known. */
  readonly address: string | null;
  readonly traceparent?: string | undefined;
}

/** Who makes a call, and where it came from, for the audit trail. */
export function originOf(call: OriginalCall, principal: Principal): Origin {
  return { actor: actorOf(principal), ...placeOf(call) };
}

/** Where a call came from. */
export function placeOf({ requestId, address, traceparent }: OriginalCall): Omit<Origin, "actor"> {
  return { address, requestId, traceId: traceIdIn(traceparent) ?? null };
}

/** For actors that have only a kind. */
export const NOTHING: Omit<Actor, "kind"> = { userId: null, issuer: null, keyId: null, operatorToken: null };

function actorOf(principal: Principal): Actor {
  const { kind } = principal;
  switch (kind) {
    case "anonymous":
      return { ...NOTHING, kind };
    case "operator":
      return { ...NOTHING, kind, operatorToken: principal.token };
    case "dashboard_user":
      return { ...NOTHING, kind, userId: principal.userId, issuer: principal.issuer };
    case "secret_key":
      return { ...NOTHING, kind, keyId: principal.key.keyId, userId: principal.onBehalfOf };
    case "publishable_key":
      return { ...NOTHING, kind, keyId: principal.key.keyId, userId: principal.userId };
    default:
      return principal satisfies never;
  }
}
