import { type RateLimit, UNLIMITED } from "../limits/caps.ts";

/** A tenant's rules for its keys. */
export interface KeyPolicy {
  /** Maximum number of hours from a key's creation to its expiry. 0: no rule. */
  readonly lifetimeHoursMax: number;
  readonly isExpiryRequired: boolean;
  /** The greatest limits; 0 for each that has no rule. */
  readonly rateLimitMax: RateLimit;
  /** Scopes that keys may have, with wildcards. Empty: all. */
  readonly permissions: readonly string[];
  readonly areIpsRequired: boolean;
  /** Maximum number of keys that are active or disabled. 0: as many as the operator allows. */
  readonly keysMax: number;
}

/** Of a tenant that has set none. */
export const NO_RULES: KeyPolicy = {
  lifetimeHoursMax: 0,
  isExpiryRequired: false,
  rateLimitMax: UNLIMITED,
  permissions: [],
  areIpsRequired: false,
  keysMax: 0,
};

/** The rules for a change of a key, as read while the change holds the tenant's lock. */
export interface PolicyState {
  readonly policy: KeyPolicy;
  /** Keys of the tenant that are active or disabled, before the change. */
  readonly usableKeys: number;
  /** Whether the tenant was erased, or is being erased, and has not been resumed since. */
  readonly isTenantErased: boolean;
}

/** Throws `RequestFault` for a change that goes beyond the tenant's rules. */
export type PolicyCheck = (state: PolicyState) => void;

/** How many keys a tenant may have. The operator's ceiling may have become lower than the tenant's own number. */
export function keysMaxOf({ keysMax }: Pick<KeyPolicy, "keysMax">, ceiling: number): number {
  return keysMax === 0 ? ceiling : Math.min(keysMax, ceiling);
}
