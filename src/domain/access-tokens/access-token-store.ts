import type { Act } from "../audit/event.ts";
import type { AccessTokenRecord, NewAccessToken } from "../credentials/access-token.ts";
import type { IdempotentCall } from "../idempotency/idempotent-call.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { TimeCursor } from "../vocabulary/time-cursor.ts";
import type { TokenSource } from "./live-tokens.ts";

/** Which tokens of a tenant. `keyId` null: those of all its keys. */
export interface TokensOf {
  readonly tenantId: string;
  readonly keyId: string | null;
}

export interface AccessTokenPage {
  readonly tokens: readonly AccessTokenRecord[];
  /** Undefined: there are no more. */
  readonly next: TimeCursor | undefined;
}

/** The records of the tokens that were issued. Each method may throw `StoreUnavailable`. */
export interface AccessTokenStore {
  /**
   * Adds a token, with its audit event in the same transaction. Throws if its source has `LIVE_TOKENS_MAX`, and `IdempotentReplay` if
   * the same call has added one before.
   */
  addToken(token: NewAccessToken, act: Act, call?: IdempotentCall): Promise<void>;
  /** Whether a source has fewer tokens than that. Another one may be added meanwhile. */
  hasRoom(source: TokenSource): Promise<boolean>;
  findToken(tokenId: string): Promise<AccessTokenRecord | undefined>;
  /** Tokens that have not expired, the newest first, also revoked ones. */
  listTokens(
    of: TokensOf,
    page: { readonly after: TimeCursor | undefined; readonly perPage: number },
  ): Promise<AccessTokenPage>;
  /**
   * Revokes a token, with its audit event, and resolves once no replica accepts it. A revoked one stays as it is, without an
   * event. Undefined: no such token.
   */
  revokeToken(of: TokensOf, tokenId: string, act: Act): Promise<AccessTokenRecord | undefined>;
  /** Removes some tokens a day after their end, and what `UsedOnce` need not remember. Resolves with whether more may be left. */
  removeOldTokens(): Promise<boolean>;
}

/** The states of federation rules. May throw `StoreUnavailable`. */
export interface RuleStates {
  /** A change that was acknowledged before the call is always visible. A rule that does not exist is off. */
  findRuleState(ruleId: string): Awaitable<RuleState>;
}

export interface RuleState {
  readonly isOff: boolean;
}

/**
 * The states of tokens that requests send, from the cache of this replica. A token that was revoked before the call began is
 * returned as revoked, on every replica, and one whose rule is disabled or deleted has `isRuleOff`.
 */
export interface AccessTokens {
  find(tokenId: string): Awaitable<FoundAccessToken | undefined>;
}

export interface FoundAccessToken {
  readonly token: AccessTokenRecord;
  readonly isRuleOff: boolean;
}
