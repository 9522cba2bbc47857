import type { KeyRecord } from "../../domain/keys/key.ts";

/** A key's record as text. If you change the format, rename the field `v3` of the entries (`key-records.lua.ts`). */
export function recordToText(record: KeyRecord): string {
  return JSON.stringify(record);
}

/** Returns undefined for a text that `recordToText` did not write. */
export function recordFromText(text: string): KeyRecord | undefined {
  try {
    const stored: StoredRecord = JSON.parse(text);
    return {
      ...stored,
      expiresAt: instantOrNull(stored.expiresAt),
      createdAt: instant(stored.createdAt),
      updatedAt: instant(stored.updatedAt),
      disabledAt: instantOrNull(stored.disabledAt),
      revokedAt: instantOrNull(stored.revokedAt),
    };
  } catch {
    return undefined;
  }
}

type StoredRecord = {
  [Name in keyof KeyRecord]: Date extends KeyRecord[Name] ? Stored<KeyRecord[Name]> : KeyRecord[Name];
};
type Stored<T> = T extends Date ? string : T;

function instantOrNull(text: string | null): Date | null {
  return text === null ? null : instant(text);
}

function instant(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new Error("not an instant");
  return date;
}
