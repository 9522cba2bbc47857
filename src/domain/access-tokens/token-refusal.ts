import type { KeyRecord } from "../credentials/key.ts";
import { Denial } from "../vocabulary/denial.ts";
import type { FoundAccessToken } from "./access-token-store.ts";

/** The key of a token as it was found, as far as it matters for the token. */
export interface KeyOfToken {
  readonly key: Pick<KeyRecord, "keyId" | "type">;
  readonly at: Date;
}

/**
 * Why a token is refused, whatever became of its key. Null: it is not. A token without a record was removed with its tenant or
 * its user, or long after its end.
 */
export function tokenRefusal(found: FoundAccessToken | undefined, known: KeyOfToken | undefined): Denial | null {
  if (found === undefined || known === undefined) return new Denial("token_revoked", { message: REMOVED });
  const { token, isRuleOff } = found;
  if (token.revokedAt !== null) return new Denial("token_revoked");
  if (isRuleOff) return new Denial("token_revoked", { message: RULE_OFF });
  const { key, at } = known;
  // The hash of a secret finds no other key, and only secret keys have tokens.
  if (key.keyId !== token.keyId || key.type !== "secret") return new Denial("token_revoked", { message: REMOVED });
  return token.expiresAt <= at ? tokenExpired() : null;
}

export function tokenExpired(): Denial {
  return new Denial("jwt_expired", { message: "This service's token has expired; get a new one." });
}

const REMOVED = "The record of this token was removed, so it is as if revoked; get a new one.";
const RULE_OFF =
  "The federation rule by which this token was issued is disabled or was deleted; have an administrator enable it, or get a token by another rule.";

/** The denial of a token for a reason about its key, whose message says that it is not about a key that was sent. */
export function deniedByKey(denial: Denial): Denial {
  const { reason, message } = denial;
  return new Denial(reason, { message: `${message} It is the API key that the token in Authorization stands for.` });
}
