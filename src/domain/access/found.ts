import { isUnlimited, mostAtOnce } from "../limits/budget.ts";
import type { PeekedLimit } from "../limits/decision.ts";
import { burstWarning } from "../limits/rate-limit.ts";
import { assessKeySet, type KeySetReport } from "../tokens/key-set-report.ts";
import { DENIALS } from "../vocabulary/denial.ts";
import type { Authority } from "./authority.ts";
import type { Facts } from "./facts.ts";
import { mayUse } from "./scopes.ts";

/** Look-ups that explain a key, beside the facts that decide about it. */
export interface LookedUp {
  readonly limit: PeekedLimit;
  /** Undefined: the key has none that can be used. */
  readonly keySet: KeySetReport | undefined;
  readonly authority: Pick<Authority, "rightsOfKey">;
}

export function foundKeySet({ presented }: Facts, { keySet }: LookedUp): string {
  const oidc = presented?.key.oidc ?? null;
  if (oidc === null || keySet === undefined) return DENIALS.misconfigured_publishable_key.sentence;
  const { denial, failure, found } = assessKeySet(keySet);
  const source = denial === "verifier_error" ? "" : `Users' tokens must come from ${oidc.issuer} for ${oidc.audience}.`;
  return sentences(failure, source, found);
}

/** The limit that each user has is not part of the decision: the question names no user. */
export function foundLimit({ presented, cost }: Facts, { limit }: LookedUp): string {
  if (presented === undefined) return "";
  const { rateLimit } = presented.key;
  const { remaining, resetAt, atOnce } = limit;
  return sentences(
    isUnlimited(rateLimit)
      ? "The key has no limit."
      : `${remaining} of ${limit.limit} requests remain until ${resetAt.toISOString()}.`,
    atOnce < remaining ? `Of them ${atOnce} would be admitted at once now.` : "",
    cost > mostAtOnce(rateLimit) ? `A request that costs ${cost} is never admitted.` : "",
    rateLimit.perUser === undefined ? "" : "Each user has a limit of their own beside it.",
    burstWarning(rateLimit) ?? "",
  );
}

export function foundScope({ presented, policy: { scope } }: Facts, { authority }: LookedUp): string {
  if (presented === undefined || scope === null) return "";
  const isGranted = mayUse(authority.rightsOfKey(presented.key), scope);
  return `The key's permissions ${isGranted ? "grant" : "do not grant"} ${scope}.`;
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
