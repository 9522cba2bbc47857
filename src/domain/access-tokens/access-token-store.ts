import type { Act } from "../audit/event.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { Page, PageRequest } from "../vocabulary/page.ts";
import type { AccessTokenRecord, NewAccessToken } from "./access-token.ts";

/** The records of the tokens that were issued. Each method may throw `StoreUnavailable`. */
export interface AccessTokenStore {
  /** Adds a token, with its audit event in the same transaction. */
  add(token: NewAccessToken, act: Act): Promise<void>;
  find(tokenId: string): Promise<AccessTokenRecord | undefined>;
  /** Those of a tenant, or of one of its keys, that have not expired, the newest first. */
  list(of: { readonly tenantId: string; readonly keyId: string | null }, page: PageRequest): Promise<Page<AccessTokenRecord>>;
  /**
   * Revokes a token of a tenant, with its audit event, and resolves once no replica accepts it. A revoked one stays as it is.
   * Undefined: there is none, or not of this key. `keyId` null: any key of the tenant.
   */
  revoke(
    of: { readonly tenantId: string; readonly keyId: string | null; readonly tokenId: string },
    act: Act,
  ): Promise<AccessTokenRecord | undefined>;
}

/**
 * The states of tokens that requests send, from the cache of this replica. A token that was revoked before the call began is
 * returned as revoked, on every replica, and one whose rule is disabled or deleted is `isRuleOff`.
 */
export interface AccessTokens {
  find(tokenId: string): Awaitable<FoundAccessToken | undefined>;
}

export interface FoundAccessToken {
  readonly token: AccessTokenRecord;
  readonly isRuleOff: boolean;
}
