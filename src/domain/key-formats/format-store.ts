import type { Act } from "../audit/event.ts";
import type { Awaitable } from "../vocabulary/awaitable.ts";
import type { CheckedFormat } from "./checked-format.ts";
import type { KeyFormat, KeyFormatList } from "./key-format.ts";

export const FORMATS_MAX = 32;

/** Key formats at rest, of all tenants. Every method may throw `StoreUnavailable`. */
export interface KeyFormatStore {
  /** In the order of their creation. */
  readFormats(): Promise<KeyFormatList>;
  /**
   * Adds a format, unless `check` throws for those that exist. Once it resolves, the format binds on every replica.
   */
  insertFormat(format: CheckedFormat, check: (existing: readonly KeyFormat[]) => void, act: Act): Promise<KeyFormat>;
  /**
   * Removes a format; binds as an insertion. `in_use`: a key of it has not ended, and nothing is removed.
   */
  deleteFormat(name: string, act: Act): Promise<"deleted" | "not_found" | "in_use">;
}

/** Returns every change that was acknowledged before the call. */
export type ReadKeyFormats = () => Awaitable<KeyFormatList>;
