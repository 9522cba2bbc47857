import type { Algorithm } from "../../domain/key-formats/key-format.ts";

/**
 * One key of another system, as the JSON of `api-keys/import` and `operator/keys/import` has it. Readers copy values; the service
 * checks them.
 */
export interface ImportRow {
  /** Only for the operator, who imports for any tenant. */
  readonly tenant_id?: string;
  /** The stored digest. Exactly one of `hash` and `key` is set. */
  readonly hash?: ImportedHash;
  /** The key itself, for callers who may not import digests. */
  readonly key?: string;
  /** What stands before the hashed part, where a format hashes only a part. */
  readonly public_part?: string;
  readonly key_format?: string;
  readonly key_prefix?: string;
  readonly name?: string;
  readonly description?: string;
  readonly permissions?: readonly string[];
  readonly rate_limit?: ImportedRateLimit;
  /** Instants are RFC 3339, in UTC and with milliseconds. */
  readonly expires_at?: string;
  readonly created_at?: string;
  readonly revoked_at?: string;
  readonly external_id?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly allowed_ips?: readonly string[];
  readonly allow_browser?: boolean;
  /** `KEY_TYPE_PUBLISHABLE`, or absent, as are the next two, of keys of another system. */
  readonly keyType?: string;
  readonly publishableConfig?: Readonly<Record<string, unknown>>;
  readonly allowed_origins?: readonly string[];
  readonly disabled?: boolean;
}

export interface ImportedHash {
  /** Absent: that of the format. */
  readonly algorithm?: Algorithm;
  /** Hex, base64 or base64url. */
  readonly digest: string;
  /** Name of the pepper in the service's configuration. */
  readonly pepper?: string;
}

export interface ImportedRateLimit extends ImportedLimits {
  /** Of each user of the key. */
  readonly per_user?: ImportedLimits;
}

export interface ImportedLimits {
  readonly requests_per_minute?: number;
  readonly requests_per_hour?: number;
  readonly burst_size?: number;
}
