import { isUtf8 } from "node:buffer";
import { isBlank } from "../blank.ts";
import { Denial } from "../denial.ts";
import type { Principal } from "../identity/principal.ts";
import { SECRET_PATTERN } from "../keys/secret.ts";
import { invalid } from "../request-fault.ts";
import { anyGrants } from "./scopes.ts";

const SCOPE = "users:impersonate";
/**
 * Characters that are drawn, and the space: no controls, marks of direction, halves of pairs, nor what Unicode has not
 * assigned. No comma either, which is how two headers look once a proxy has joined them.
 */
const USER_ID = /^(?:[^\p{C}\p{Z},]| ){1,256}$/u;

/**
 * The principal a call is made as, given the values of `X-On-Behalf-Of`, one character for each byte. The header is never
 * ignored: who sends it without the right to would otherwise act, unknowingly, as somebody else.
 */
export function impersonate(principal: Principal, onBehalfOf: readonly string[]): Principal {
  if (onBehalfOf.length === 0) return principal;
  if (principal.kind !== "secret_key") {
    throw new Denial("insufficient_scope", {
      message: "X-On-Behalf-Of is only for secret keys; remove it, or call with a secret key.",
    });
  }
  if (!anyGrants(principal.key.permissions, SCOPE)) {
    throw new Denial("insufficient_scope", {
      message: `X-On-Behalf-Of needs the scope ${SCOPE}, which this API key lacks; remove the header, or use a key with the scope.`,
    });
  }
  const userId = onBehalfOf.length === 1 ? fromUtf8(onBehalfOf[0] ?? "") : undefined;
  if (userId === undefined || !USER_ID.test(userId) || isBlank(userId)) {
    throw invalid(
      "X-On-Behalf-Of",
      "must be one user id: 1 to 256 printable characters in UTF-8, and no comma, since two headers joined by a proxy look like that",
    );
  }
  // It would be in the log, as the id of a user.
  if (SECRET_PATTERN.test(userId)) throw invalid("X-On-Behalf-Of", "holds an API key; send the id of a user");
  return { ...principal, onBehalfOf: userId };
}

/** Tokens tell users' ids in UTF-8, and the same user must be found by either. Undefined: it is none. */
function fromUtf8(value: string): string | undefined {
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
