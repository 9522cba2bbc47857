import type { KeyRecord } from "../../src/domain/credentials/key.ts";
import type { KeyStatus } from "../../src/domain/credentials/status.ts";
import { later, NOW } from "./records.ts";

/**
 * What a key's status is at `NOW`. The rule stands in `src/domain/credentials/status.ts`, and SQL needs it to filter lists
 * (`key-store.ts`). These cases run against both, so that they cannot drift apart.
 */
export interface KeyStatusCase {
  readonly name: string;
  readonly fields: Pick<KeyRecord, "revokedAt" | "disabledAt" | "expiresAt">;
  readonly status: KeyStatus;
}

const BEFORE = later(-1);
const AFTER = later(1);

type Row = readonly [revokedAt: Date | null, disabledAt: Date | null, expiresAt: Date | null, status: KeyStatus];

const ROWS: readonly Row[] = [
  [null, null, null, "active"],
  [null, null, BEFORE, "expired"],
  [null, null, NOW, "expired"],
  [null, null, AFTER, "active"],
  [null, BEFORE, null, "disabled"],
  [null, BEFORE, BEFORE, "disabled"],
  [null, BEFORE, NOW, "disabled"],
  [null, BEFORE, AFTER, "disabled"],
  [BEFORE, null, null, "revoked"],
  [BEFORE, null, BEFORE, "revoked"],
  [BEFORE, null, NOW, "revoked"],
  [BEFORE, null, AFTER, "revoked"],
  [BEFORE, BEFORE, null, "revoked"],
  [BEFORE, BEFORE, BEFORE, "revoked"],
  [BEFORE, BEFORE, NOW, "revoked"],
  [BEFORE, BEFORE, AFTER, "revoked"],
  // A replica whose clock is ahead may have revoked or disabled the key: that binds at once.
  [AFTER, null, null, "revoked"],
  [null, AFTER, null, "disabled"],
];

export const KEY_STATUS_CASES: readonly KeyStatusCase[] = ROWS.map(([revokedAt, disabledAt, expiresAt, status]) => {
  const facts = [`revoked ${when(revokedAt)}`, `disabled ${when(disabledAt)}`, `expires ${when(expiresAt)}`];
  return { name: facts.join(", "), fields: { revokedAt, disabledAt, expiresAt }, status };
});

function when(instant: Date | null): string {
  if (instant === null) return "never";
  const ms = instant.getTime() - NOW.getTime();
  if (ms === 0) return "now";
  return ms < 0 ? "before" : "after";
}
