import type { Guard } from "@latchkey/client/server";

/** The tenant of a key that may call, or the response to one that may not. */
export type Decision =
  | { readonly tenantId: string }
  | { readonly refusal: { readonly status: number; readonly headers: Headers; readonly body: string } };

/** Decides about a key that calls an operation which needs a scope. */
export type Decide = (key: string, scope: string) => Promise<Decision>;

export interface ShadowOptions {
  readonly guard: Guard;
  /** The check that your service has today. */
  readonly old: Decide;
  /** Whether Latchkey decides. It is read for each call: with a feature flag you can switch, and switch back. */
  readonly isSwitched: () => boolean;
  /** Counts a call before the switch by its difference. Undefined: both decided alike. */
  readonly onCompared: (difference: string | undefined) => void;
}

/** Asks Latchkey beside your own check, which decides until the switch. */
export function shadow({ guard, old, isSwitched, onCompared }: ShadowOptions): Decide {
  const latchkey: Decide = async (key, scope) => {
    const verdict = await guard.check({ "x-api-key": key }, scope);
    return verdict.kind === "admitted" ? { tenantId: verdict.caller.tenantId } : { refusal: verdict };
  };
  return (key, scope) => {
    if (isSwitched()) return latchkey(key, scope);
    const decision = old(key, scope);
    // Nobody waits for this, so Latchkey can neither delay nor fail a call.
    Promise.all([decision, latchkey(key, scope)]).then(
      ([ours, theirs]) => onCompared(differenceOf(ours, theirs)),
      () => onCompared("a check failed"),
    );
    return decision;
  };
}

function differenceOf(ours: Decision, theirs: Decision): string | undefined {
  if ("refusal" in theirs) {
    if ("refusal" in ours) return undefined;
    return `Latchkey refuses: ${JSON.parse(theirs.refusal.body).reason}`;
  }
  if ("refusal" in ours) return "Latchkey admits";
  return ours.tenantId === theirs.tenantId ? undefined : "another tenant";
}
