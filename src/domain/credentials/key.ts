import type { RateLimit } from "../limits/caps.ts";
import type { ClaimRule } from "../tokens/claim-rules.ts";
import type { AudienceClaim, TokenType } from "../tokens/claims.ts";
import type { Metadata } from "./metadata.ts";

/** A kind of API key, fixed at creation. It comes from the stored record, never from the prefix a caller typed. */
export type KeyType = "secret" | "publishable";

/** How a publishable key's user tokens are verified. */
export interface OidcConfig {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
  /** Claim that holds the user id. */
  readonly userIdClaim: string;
  /** Claim name (dots address nested claims) to the exact string expected. */
  readonly requiredClaims: Readonly<Record<string, string>>;
  /** The claim that holds the audience of a token without `aud`. Default: `aud`. */
  readonly audienceClaim?: AudienceClaim;
  /** The values of which `azp` must be one, or `client_id` of an access token without it. Default: neither is checked. */
  readonly authorizedParties?: readonly string[];
  /** Default: `any`. */
  readonly tokenType?: TokenType;
  /** All of them must be satisfied. Default: none. */
  readonly claimRules?: readonly ClaimRule[];
  /** Put before each user id. Default: nothing. */
  readonly userIdPrefix?: string;
}

/** Whose users a publishable key admits. */
export interface KeyIssuer {
  readonly issuer: string;
  /** Empty: none. */
  readonly userIdPrefix: string;
}

/** A stored key. Its secret is not part of it: only its hash is kept, beside the record. */
export interface KeyRecord extends Fence {
  readonly keyId: string;
  readonly tenantId: string;
  readonly type: KeyType;
  /** First characters of the secret, for display. */
  readonly secretPrefix: string;
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly rateLimit: RateLimit;
  readonly oidc: OidcConfig | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
  readonly revokedAt: Date | null;
  readonly rotatedTo: string | null;
  readonly rotatedFrom: string | null;
  /** Null: none. */
  readonly metadata: Metadata | null;
  /** The tenant's own identifier for what the key belongs to. Empty: none. */
  readonly externalId: string;
  /** The `keyId` of the key that the budget was first of: a rotation hands it on. Null: the budget is the key's own. */
  readonly budgetId: string | null;
}

/** A key as requests with it find it. */
export interface FoundKey extends KeyRecord {
  /** When the last other key that may spend from its budget ends: the one that it was rotated to or from. Undefined: no other key. */
  readonly sharedUntil?: Date | undefined;
}

/** SHA-256 of a key's secret in base64url, 43 characters. Keys are looked up by it. */
export type SecretHash = string;

/** How often a key was presented. `total = successful + failed`. */
export interface KeyUsage {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

/** Where the requests of a key may come from. */
export interface Fence {
  /** IP addresses and CIDRs. Empty: any address. */
  readonly allowedIps: readonly string[];
  /** Of publishable keys: origins of web pages. Empty: any, and none. */
  readonly allowedOrigins: readonly string[];
  /** Whether a secret key may be used in browsers. Always true for publishable keys. */
  readonly allowBrowser: boolean;
}
