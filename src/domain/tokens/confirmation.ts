import { wrongSender } from "../access-tokens/proof.ts";
import { Denial } from "../vocabulary/denial.ts";
import { kindOf } from "../vocabulary/json-kind.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { quotable } from "../vocabulary/request-fault.ts";
import type { Claims } from "./claims.ts";

/**
 * Decides whether the sender of a verified token may use it. Gets the RFC 7638 thumbprint of the key that the token is bound to;
 * null: it is bound to none. Throws `Denial`.
 */
export type CheckSender = (jkt: string | null) => Promise<void> | undefined;

/** Of a token that came without a proof: it works for anyone who has it, so it may be bound to no key (RFC 9449, 7.2). */
export const asBearer: CheckSender = (jkt) => {
  if (jkt !== null) throw wrongSender("bearer");
  return undefined;
};

const THUMBPRINT = /^[\w-]{43}$/;

/**
 * The thumbprint of the key that a token is bound to, from `cnf` (RFC 7800). Null: the token has no `cnf`. Throws `Denial` for
 * every other way to bind it, such as to a certificate (RFC 8705): the issuer meant it for one sender, who cannot be checked here.
 */
export function confirmedKey({ cnf }: Claims): string | null {
  if (cnf === undefined) return null;
  const jkt = isJsonObject(cnf) && Object.keys(cnf).length === 1 ? cnf.jkt : undefined;
  if (typeof jkt === "string" && THUMBPRINT.test(jkt)) return jkt;
  throw new Denial("jwt_malformed", {
    message: `The user token is bound to its sender by the claim cnf, which is ${shownForm(cnf)}; only a token that is bound by just cnf.jkt, the thumbprint of a DPoP key, or one without cnf can be checked here.`,
  });
}

function shownForm(cnf: unknown): string {
  if (!isJsonObject(cnf)) return kindOf(cnf);
  const methods = Object.keys(cnf);
  return methods.length === 0 ? "empty" : `by ${methods.slice(0, METHODS_SHOWN_MAX).map(quotable).join(", ")}`;
}

const METHODS_SHOWN_MAX = 3;
