import type { AuditTrail } from "./audit-trail.ts";

const HOUR_MS = 3_600_000;
/**
 * How long after its end an hour becomes an event. Replicas store their counts once a second; what one stores later, after an
 * outage, becomes an event of its own.
 */
const GRACE_MS = 120_000;

/** Makes events of some hours that are over at `now`. Returns whether there may be more. */
export function storeImpersonations(audit: Pick<AuditTrail, "storeHours">, now: Date): Promise<boolean> {
  return audit.storeHours(new Date(now.getTime() - GRACE_MS - HOUR_MS));
}
