import type { AuditTrail } from "./audit-trail.ts";

export interface RetentionContext {
  readonly audit: Pick<AuditTrail, "agreeOnDays" | "removeOld">;
  /** `AUDIT_DAYS` of this replica. */
  readonly days: number;
  /** Called once for each number of days that counts from then on. */
  readonly onDays: (kept: number) => void;
}

/**
 * Returns the removal of old events. Removed events never come back, so a replica that has a wrong AUDIT_DAYS must not
 * decide: the longest retention of all replicas counts, and until it has not been seen for a day.
 */
export function createAuditRemoval({ audit, days, onDays }: RetentionContext): () => Promise<boolean> {
  let reported: number | undefined;
  return async () => {
    const kept = await audit.agreeOnDays(days);
    if (kept !== reported) onDays(kept);
    reported = kept;
    return audit.removeOld(kept);
  };
}
