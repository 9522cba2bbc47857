import type { SigningKey } from "./signing-key.ts";

const DAY_MS = 86_400_000;
/** Age at which a key gets a successor. */
export const ROTATION_MS = 30 * DAY_MS;
/** For how long a successor is published before it signs: verifiers that cache the key set have it by then. */
export const PUBLISHED_BEFORE_MS = DAY_MS;
/** Longest life of a token, in seconds. */
const TOKEN_TTL_SECONDS_MAX = 3_600;
/** For replicas that have not read yet that the key is retired, and for verifiers whose clocks are behind. */
const LEEWAY_MS = 600_000;
/** For how long a key is published after it was retired: every token that it signed has expired by then. */
export const PUBLISHED_AFTER_MS = TOKEN_TTL_SECONDS_MAX * 1_000 + LEEWAY_MS;

/** The next step for the signing keys. */
export type RotationStep =
  | { readonly kind: "none" }
  | { readonly kind: "add"; readonly state: "active" | "next" }
  | { readonly kind: "promote"; readonly active: string | undefined; readonly next: string };

const NONE: RotationStep = { kind: "none" };

/**
 * The next step of the rotation at an instant. A replica whose secret does not decrypt the keys that are there takes none:
 * it would replace them by keys that the others cannot decrypt. `canDecrypt` takes a `kid`.
 */
export function nextStep(keys: readonly SigningKey[], canDecrypt: (kid: string) => boolean, now: Date): RotationStep {
  const active = keys.find(({ state }) => state.kind === "active");
  const next = keys.find(({ state }) => state.kind === "next");
  const isAged = (key: SigningKey, ms: number): boolean => now.getTime() - key.createdAt.getTime() >= ms;
  if (active === undefined && next === undefined) return { kind: "add", state: "active" };
  for (const key of [active, next]) if (key !== undefined && !canDecrypt(key.kid)) return NONE;
  if (next === undefined)
    return active !== undefined && isAged(active, ROTATION_MS) ? { kind: "add", state: "next" } : NONE;
  // Without an active key, tokens would wait for it.
  const isDue = active === undefined || isAged(next, PUBLISHED_BEFORE_MS);
  return isDue ? { kind: "promote", active: active?.kid, next: next.kid } : NONE;
}
