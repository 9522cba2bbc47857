import { questionOf, type RequestOptions } from "./guard.ts";
import { allScopes, type Scopes } from "./scopes.ts";
import type { Verdict } from "./verdict.ts";
import { createVerify, type GuardOptions, type Verify } from "./verification.ts";

/** Puts one question to Latchkey about a request: about what of its headers is checked, and where it comes from. */
export interface Check {
  (checked: Headers, forwarding: Headers): Promise<Verdict>;
  readonly resource: Verify["resource"];
}

export interface Checks {
  (scopes: Scopes, asked?: RequestOptions): Check;
  readonly edge: Verify["edge"];
}

/** What the guards of frameworks are made of. Throws as `createGuard` and its guards do, at once. */
export function createChecks(options: GuardOptions): Checks {
  const verify = createVerify(options);
  const known = allScopes(options.ownScopes);
  const checks = (scopes: Scopes, asked: RequestOptions = {}): Check => {
    const question = questionOf(scopes, asked, known);
    const check = (checked: Headers, forwarding: Headers): Promise<Verdict> => verify(checked, forwarding, question);
    return Object.assign(check, { resource: verify.resource });
  };
  return Object.assign(checks, { edge: verify.edge });
}
