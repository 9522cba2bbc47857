import type { CSSProperties } from "react";

/** How what was counted for one reason is drawn: always the same, so that it is known again on every page. */
export interface Tone {
  /** A variable of the stylesheet. */
  readonly color: string;
  /** A pattern over the colour, so that it is known from others without it. */
  readonly hatch: Hatch;
}

export const HATCHES = ["plain", "rising", "dots", "level", "falling", "cross"] as const;
export type Hatch = (typeof HATCHES)[number];

export const SUCCESSFUL: Tone = { color: "--tone-successful", hatch: "plain" };
export const DENIED: Tone = { color: "--tone-denied", hatch: "rising" };

/** Reasons with a tone of their own. Never give one the tone of another: people know them by it. */
const TONES: Readonly<Record<string, Tone>> = {
  insufficient_scope: { color: "--tone-1", hatch: "plain" },
  rate_limited: { color: "--tone-2", hatch: "rising" },
  api_key_revoked: { color: "--tone-3", hatch: "dots" },
  api_key_expired: { color: "--tone-4", hatch: "level" },
  api_key_disabled: { color: "--tone-5", hatch: "falling" },
  token_revoked: { color: "--tone-2", hatch: "plain" },
  tenant_suspended: { color: "--tone-6", hatch: "cross" },
  origin_not_allowed: { color: "--tone-6", hatch: "plain" },
  publishable_key_requires_jwt: { color: "--tone-5", hatch: "rising" },
  jwt_expired: { color: "--tone-4", hatch: "dots" },
  jwt_malformed: { color: "--tone-3", hatch: "level" },
  jwt_invalid_signature: { color: "--tone-2", hatch: "falling" },
  jwt_invalid_issuer: { color: "--tone-1", hatch: "cross" },
  jwt_invalid_audience: { color: "--tone-4", hatch: "plain" },
  user_id_claim_not_found: { color: "--tone-3", hatch: "rising" },
  verifier_error: { color: "--tone-2", hatch: "dots" },
  misconfigured_publishable_key: { color: "--tone-1", hatch: "level" },
  oidc_not_configured: { color: "--tone-6", hatch: "falling" },
  tenant_required: { color: "--tone-5", hatch: "cross" },
  missing_credentials: { color: "--tone-3", hatch: "plain" },
  api_key_not_found: { color: "--tone-1", hatch: "rising" },
  api_key_invalid: { color: "--tone-6", hatch: "dots" },
  not_found: { color: "--tone-5", hatch: "level" },
  internal: { color: "--tone-4", hatch: "falling" },
};
/** Of reasons of later versions, which are known by their names. */
const LATER: Tone = { color: "--tone-later", hatch: "cross" };

export function toneOf(reason: string): Tone {
  return Object.hasOwn(TONES, reason) ? (TONES[reason] ?? LATER) : LATER;
}

export function styleOf({ color }: Tone): CSSProperties {
  return { color: `var(${color})` };
}
