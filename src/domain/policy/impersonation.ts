import { Denial } from "../denial.ts";
import type { Principal } from "../identity/principal.ts";
import { invalid } from "../request-fault.ts";
import { anyGrants } from "./scopes.ts";

const SCOPE = "users:impersonate";
/** Printable ASCII without the comma, which is how two headers look once a proxy has joined them. */
const USER_ID = /^[\x20-\x2b\x2d-\x7e]{1,256}$/;

/**
 * The principal a call is made as, given the values of `X-On-Behalf-Of`. The header is never ignored: who sends it
 * without the right to would otherwise act, unknowingly, as somebody else.
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
  const [userId] = onBehalfOf;
  if (userId === undefined || onBehalfOf.length > 1 || !USER_ID.test(userId) || userId.trim() === "") {
    throw invalid("X-On-Behalf-Of", "must be one user id: 1 to 256 printable ASCII characters, without a comma");
  }
  return { ...principal, onBehalfOf: userId };
}
