import type { SecretHash } from "./key.ts";

/** A token of the service's own, which stands for a secret key, as it is stored: without the token. */
export interface AccessTokenRecord {
  readonly tokenId: string;
  readonly tenantId: string;
  readonly keyId: string;
  /** Of the key. Its record is found by it, in the cache that requests with the key itself use. */
  readonly secretHash: SecretHash;
  readonly scopes: readonly string[];
  /** The user that it acts for. Null: none. */
  readonly userId: string | null;
  readonly audience: string;
  /** The thumbprint of the key that its sender must have. Null: any sender may use it. */
  readonly confirmationJkt: string | null;
  /** The federation rule by which it was issued. Null: it was derived from its key. */
  readonly ruleId: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/** A token that is to be issued. */
export type NewAccessToken = Omit<AccessTokenRecord, "createdAt" | "revokedAt">;
