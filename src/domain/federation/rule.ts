import type { ClaimRule } from "../tokens/claim-rules.ts";

/** Which workloads get tokens for a secret key. */
export interface FederationRule {
  readonly ruleId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly issuer: string;
  /** Null: `jwks` has the keys. */
  readonly jwksUrl: string | null;
  /** A JWK set. Null: the keys are fetched from `jwksUrl`. */
  readonly jwks: Readonly<Record<string, unknown>> | null;
  readonly audience: string;
  readonly claimRules: readonly ClaimRule[];
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly ttlSeconds: number;
  readonly status: "enabled" | "disabled";
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
