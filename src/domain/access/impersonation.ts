import { isUtf8 } from "node:buffer";
import { SECRET_PATTERN } from "../credentials/secret.ts";
import { isBlank } from "../vocabulary/blank.ts";
import { Denial } from "../vocabulary/denial.ts";
import { RequestFault } from "../vocabulary/request-fault.ts";
import { longerThan } from "../vocabulary/text-length.ts";
import { actingUser } from "./acting-user.ts";
import type { Principal, SecretKeyCaller } from "./principal.ts";
import { anyGrants, mayUse } from "./scopes.ts";

/** The scope of those that may act for users. */
export const MAY_IMPERSONATE = "users:impersonate";
/**
 * Characters that no id has: controls, direction marks, lone surrogates, unassigned code points, and blanks other than the
 * space. No comma either: a proxy joins two headers with one.
 */
const NO_USER_ID = /[\p{C}\p{Zl}\p{Zp},]|(?! )\p{Zs}/u;
const USER_ID_CHARS_MAX = 256;

/** The principal of a call with `X-On-Behalf-Of`, or why the header is rejected. */
export type Impersonation = Principal | Denial | RequestFault;

/**
 * The principal of a call, given its checked header. The header is never ignored: a caller without the right to send it would
 * otherwise act as another user without noticing.
 */
export function impersonate(checked: Impersonation): Principal {
  if (checked instanceof Error) throw checked;
  return checked;
}

/**
 * The user whose budget a call spends from, beside its key's. Null: it has none, as with a header that is rejected: a key that
 * may not act for users must not spend their budgets.
 */
export function limitedUser(principal: Principal, checked: Impersonation): string | null {
  return actingUser(checked instanceof Error ? principal : checked);
}

/** Checks the values of `X-On-Behalf-Of`, one character for each byte. */
export function checkImpersonation(principal: Principal, onBehalfOf: readonly string[]): Impersonation {
  if (principal.kind === "secret_key" && principal.token !== undefined && principal.token.userId !== null) {
    return checkTokensUser(principal, principal.token.userId, onBehalfOf);
  }
  if (onBehalfOf.length === 0) return principal;
  if (principal.kind !== "secret_key") {
    return new Denial("insufficient_scope", {
      message: "X-On-Behalf-Of is only for secret keys; remove it, or call with a secret key.",
    });
  }
  if (!mayUse(principal.rights, MAY_IMPERSONATE)) {
    return new Denial("insufficient_scope", {
      message: `X-On-Behalf-Of needs the scope ${MAY_IMPERSONATE}, which ${principal.token === undefined ? "this API key lacks; remove the header, or use a key with the scope" : "this token or its API key lacks; remove the header, or get a token with the scope, or for the user"}.`,
      scope: MAY_IMPERSONATE,
    });
  }
  const userId = userIdIn(onBehalfOf);
  return userId instanceof RequestFault ? userId : { ...principal, onBehalfOf: userId };
}

/** The user that the values of `X-On-Behalf-Of` name, one character for each byte; or why they name none. */
export function userIdIn(onBehalfOf: readonly string[]): string | RequestFault {
  const userId = onlyValue(onBehalfOf);
  if (userId === undefined || !isPrintableId(userId)) {
    return new RequestFault(
      "invalid_header",
      "X-On-Behalf-Of: must be one user id: 1 to 256 printable characters in UTF-8, and no comma, since two headers joined by a proxy look like that",
    );
  }
  // The log would show it as a user id.
  if (SECRET_PATTERN.test(userId))
    return new RequestFault("invalid_header", "X-On-Behalf-Of: holds an API key; send the id of a user");
  return userId;
}

/** The user of a token acts without the header, as long as the key may act for users; the header may name no other. */
function checkTokensUser(principal: SecretKeyCaller, userId: string, onBehalfOf: readonly string[]): Impersonation {
  // Of the key itself: the token needs no such scope for its own user.
  if (!anyGrants(principal.key.permissions, MAY_IMPERSONATE)) {
    return new Denial("insufficient_scope", {
      message: `This token acts for a user, and its API key lacks the scope ${MAY_IMPERSONATE} that this needs; add it to the key's permissions, or get a token without a user.`,
      scope: MAY_IMPERSONATE,
    });
  }
  if (onBehalfOf.length > 0 && onlyValue(onBehalfOf) !== userId) {
    return new Denial("insufficient_scope", {
      message:
        "X-On-Behalf-Of names another user than the one that this token acts for; remove the header, or get a token for that user.",
    });
  }
  return { ...principal, onBehalfOf: userId };
}

function onlyValue(onBehalfOf: readonly string[]): string | undefined {
  return onBehalfOf.length === 1 ? fromUtf8(onBehalfOf[0] ?? "") : undefined;
}

/** Whether a text can name the user for whom a call is made. A key is not a user id: the log would show it. */
export function isUserId(text: string): boolean {
  return !SECRET_PATTERN.test(text) && isPrintableId(text);
}

function isPrintableId(text: string): boolean {
  return !longerThan(text, USER_ID_CHARS_MAX) && !NO_USER_ID.test(text) && !isBlank(text);
}

/** Decodes UTF-8, as in tokens: header and token must name the same user. Undefined: it is not UTF-8. */
function fromUtf8(value: string): string | undefined {
  const bytes = Buffer.from(value, "latin1");
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
