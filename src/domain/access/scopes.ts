/**
 * Whether one of the held scopes grants `wanted`: itself, everything by `*`, everything below its colon by `domain:*`.
 * `wanted` may be a wildcard, too: then one of the held ones must grant all that it ever will.
 */
export function anyGrants(held: readonly string[], wanted: string): boolean {
  return held.some((scope) => grants(scope, wanted));
}

export function grants(held: string, wanted: string): boolean {
  if (held === "*" || held === wanted) return true;
  return held.endsWith(":*") && wanted.startsWith(held.slice(0, -1));
}

/** What a caller may do. */
export interface Rights {
  /** Scopes and wildcards, all of them in the catalogue. */
  readonly scopes: readonly string[];
  /** Whether they reach the reserved scopes; else `*` does not, either. */
  readonly includeReserved: boolean;
}

export const NO_RIGHTS: Rights = { scopes: [], includeReserved: false };

/** Whether the rights include a scope, or all that a wildcard stands for. */
export function mayUse({ scopes, includeReserved }: Rights, wanted: string): boolean {
  return anyGrants(scopes, wanted) && (includeReserved || !isReserved(wanted));
}

/** The domains whose scopes belong to the operator's own tenant. */
const RESERVED_DOMAINS = ["system", "tenants"];

/** Whether a scope other than `*` is reserved for the operator's own tenant. */
export function isReserved(scope: string): boolean {
  return RESERVED_DOMAINS.includes(domainOf(scope));
}

/** What stands before the colon. */
export function domainOf(scope: string): string {
  return scope.slice(0, scope.indexOf(":"));
}
