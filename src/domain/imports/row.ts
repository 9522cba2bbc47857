import type { KeyType } from "../credentials/key.ts";
import type { Algorithm } from "../key-formats/key-format.ts";
import type { KeyValues } from "../keys/key-fields.ts";
import type { OidcInput } from "../keys/oidc.ts";

/** The hash that a system has stored of a key, as a row gives it. */
export interface GivenHash {
  /** Undefined: that of the format. */
  readonly algorithm: Algorithm | undefined;
  readonly digest: string;
  /** Empty: that of the format. */
  readonly pepper: string;
}

/** A key to import, as its row describes it. It has either `hash` or `key`. */
export interface ImportedRow extends KeyValues {
  readonly tenantId: string;
  readonly type: KeyType;
  /** Null: a secret key, or a publishable one that cannot be used. */
  readonly oidc: OidcInput | null;
  readonly hash: GivenHash | null;
  readonly key: string;
  /** Empty: that of `key`, or none. */
  readonly keyFormat: string;
  readonly publicPart: string;
  /** Empty: made of `key` and the format. */
  readonly keyPrefix: string;
  /** Null: now. */
  readonly createdAt: Date | null;
  readonly isDisabled: boolean;
  /** Null: it was not. */
  readonly revokedAt: Date | null;
}
