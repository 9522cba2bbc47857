import type { Actor } from "../audit/event.ts";
import type { ClaimRule } from "../identity/claim-rules.ts";
import type { AudienceClaim, TokenType } from "../identity/claims.ts";
import type { Fence } from "./fence.ts";
import type { PolicyCheck } from "./key-policy.ts";
import type { Metadata } from "./metadata.ts";

/** A kind of API key, fixed at creation. It comes from the stored record, never from the prefix a caller typed. */
export type KeyType = "secret" | "publishable";

/** Requests that a budget admits; 0 is unlimited, or for `burstSize` "as many as the cap". */
export interface Caps {
  readonly requestsPerMinute: number;
  readonly requestsPerHour: number;
  readonly burstSize: number;
}

/** Requests a key may make, and each of its users under it. */
export interface RateLimit extends Caps {
  /** Absent: users have no budgets of their own. Never with zeros alone. */
  readonly perUser?: Caps;
}

export const UNLIMITED: RateLimit = { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0 };

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
  /** The values of which `azp` must be one. Default: it is not checked. */
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

/** A key as its tenant sees it. Usage has no effect on authentication, so it is not part of the record. */
export interface KeyDetails extends KeyRecord {
  /** Null: never used. */
  readonly lastUsedAt: Date | null;
  /** Null: unknown, as of keys from before the audit trail. */
  readonly createdBy: Actor | null;
  /** Null: not revoked, or unknown. */
  readonly revokedBy: Actor | null;
  /** Null: the key was never reported as leaked. */
  readonly leak: KeyLeak | null;
}

/** The place where a key was found, and when. */
export interface KeyLeak {
  readonly at: Date;
  /** Null: not known. */
  readonly url: string | null;
  /** What kind of place, as the reporter says. Null: not known. */
  readonly source: string | null;
}

/** SHA-256 of a key's secret in base64url, 43 characters. Keys are looked up by it. */
export type SecretHash = string;

/** A key to store for the first time. */
export interface NewKey {
  readonly record: KeyRecord;
  readonly secretHash: SecretHash;
}

/** The fields of a record that a verb may change. */
export type KeyPatch = Partial<
  Pick<
    KeyRecord,
    | "name"
    | "description"
    | "permissions"
    | "rateLimit"
    | "expiresAt"
    | "disabledAt"
    | "revokedAt"
    | "rotatedTo"
    | "metadata"
    | "externalId"
    | keyof Fence
  > & { readonly leak: KeyLeak }
>;

/** What one verb does to a key, decided from its current record. */
export interface KeyChange {
  /** New values. Empty: the record stays as it is. */
  readonly patch: KeyPatch;
  /** A key to store in the same transaction: a rotation's successor. */
  readonly successor?: NewKey;
  /** Checks the change against the tenant's rules, in the same transaction. Absent: no rule is about it. */
  readonly check?: PolicyCheck;
}

/** A change as it is stored. `updatedAt` is set unless the change is empty. */
export interface StoredChange extends KeyChange {
  readonly patch: KeyPatch & { readonly updatedAt?: Date };
}

/** How often a key was presented. `total = successful + failed`. */
export interface KeyUsage {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}
