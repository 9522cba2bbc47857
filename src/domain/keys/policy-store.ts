import type { Act } from "../audit/event.ts";
import type { KeyPolicy } from "./key-policy.ts";

/** The rules of tenants for their keys, at rest. Every method may throw `StoreUnavailable`. */
export interface KeyPolicies {
  /** `NO_RULES` for a tenant that has set none. */
  readPolicy(tenantId: string): Promise<KeyPolicy>;
  /**
   * Replaces the rules, and records `act` in the same transaction. Waits for changes of the tenant's keys that have been checked
   * against the rules before, so that none of them is committed later.
   */
  writePolicy(tenantId: string, policy: KeyPolicy, act: Act): Promise<void>;
}
