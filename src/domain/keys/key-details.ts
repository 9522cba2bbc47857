import type { Actor } from "../audit/event.ts";
import type { KeyRecord } from "../credentials/key.ts";

/** A key as its tenant sees it. Usage has no effect on authentication, so it is not part of the record. */
export interface KeyDetails extends KeyRecord {
  /** Null: never used. */
  readonly lastUsedAt: Date | null;
  /** Null: they were erased. */
  readonly createdBy: Actor | null;
  /** Null: not revoked, or unknown. */
  readonly revokedBy: Actor | null;
  /** Null: the key was never reported as leaked. */
  readonly leak: KeyLeak | null;
  /** Null: the key was made here. */
  readonly imported: ImportedFrom | null;
}

/** Where a key comes from that was not made here. */
export interface ImportedFrom {
  /** Empty: another deployment of this service has made the key. */
  readonly keyFormat: string;
}

/** The place where a key was found, and when. */
export interface KeyLeak {
  readonly at: Date;
  /** Null: not known. */
  readonly url: string | null;
  /** What kind of place, as the reporter says. Null: not known. */
  readonly source: string | null;
}
