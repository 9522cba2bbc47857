import { checkOptions, namesOf } from "../known-options.ts";
import { checkedHeadersOf, type HeaderPairs } from "./auth-headers.ts";
import { checkedCost } from "./cost.ts";
import { allScopes, checkedScopes, type Scopes } from "./scopes.ts";
import type { Verdict } from "./verdict.ts";
import { createVerify, type GuardOptions, type Verify } from "./verification.ts";

/** The options of each question of a guard, beside scopes. */
export interface RequestOptions {
  /**
   * As how many requests of the key's limit each counts: an integer from 1 to 1,000, spent in one step, all or none.
   * Default: 1. A caller whose limit is lower is always refused, with 429 and without `Retry-After`.
   */
  readonly cost?: number | undefined;
}

/** Puts one question to Latchkey about a request: about what of its headers is checked, and where it comes from. */
export interface Check {
  (headers: HeaderPairs, forwarding: Headers): Promise<Verdict>;
  readonly resource: Verify["resource"];
}

export interface Checks {
  (scopes: Scopes, asked?: RequestOptions): Check;
  readonly verify: Verify;
  readonly known: readonly string[];
  readonly edge: Verify["edge"];
}

const OPTIONS = namesOf<RequestOptions>({ cost: true });

/** The common part of the guards of frameworks. Throws as `createGuard` and its guards do, at once. */
export function createChecks(options: GuardOptions): Checks {
  const verify = createVerify(options);
  const known = allScopes(options.ownScopes);
  const checks = (scopes: Scopes, asked: RequestOptions = {}): Check => {
    checkOptions(asked, OPTIONS);
    const question = { scopes: checkedScopes(scopes, known), cost: checkedCost(asked.cost) };
    const check = (headers: HeaderPairs, forwarding: Headers): Promise<Verdict> =>
      verify(checkedHeadersOf(headers), forwarding, question);
    return Object.assign(check, { resource: verify.resource });
  };
  return Object.assign(checks, { verify, known, edge: verify.edge });
}
