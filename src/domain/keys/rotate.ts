import { invalid, RequestFault } from "../request-fault.ts";
import { issue } from "./create.ts";
import type { KeyChange, KeyRecord } from "./key.ts";
import { keyStatus } from "./status.ts";

const GRACE_HOURS_DEFAULT = 24;
const GRACE_HOURS_MAX = 720;
const HOUR_MS = 3_600_000;

/** Hours during which both keys are valid: absent is 24, 0 is "at once", at most 720. */
export function checkedGraceHours(hours: number | undefined): number {
  const grace = hours ?? GRACE_HOURS_DEFAULT;
  if (!Number.isInteger(grace) || grace < 0 || grace > GRACE_HOURS_MAX) {
    throw invalid("grace_period_hours", `must be an integer from 0 (at once) to ${GRACE_HOURS_MAX}`);
  }
  return grace;
}

/**
 * Makes the successor and ends the old key's life with the grace period, or sooner where it ends sooner by itself.
 *
 * `rotatedTo` is set under the row lock, so that of many concurrent rotations exactly one finds it empty.
 */
export function decideRotate(
  current: KeyRecord,
  graceHours: number,
  now: Date,
): { change: KeyChange; successor: KeyRecord; secret: string } {
  refuseUnrotatable(current, now);
  const { key, secret } = issue(
    {
      tenantId: current.tenantId,
      type: current.type,
      name: current.name,
      description: current.description,
      permissions: current.permissions,
      rateLimit: current.rateLimit,
      oidc: current.oidc,
      expiresAt: current.expiresAt,
      rotatedFrom: current.keyId,
    },
    now,
  );
  const graceEnd = new Date(now.getTime() + graceHours * HOUR_MS);
  const expiresAt = current.expiresAt !== null && current.expiresAt < graceEnd ? current.expiresAt : graceEnd;
  return {
    change: { patch: { expiresAt, rotatedTo: key.record.keyId }, successor: key },
    successor: key.record,
    secret,
  };
}

function refuseUnrotatable(current: KeyRecord, now: Date): void {
  const problem = unrotatable(current, now);
  if (problem !== undefined) throw new RequestFault("failed_precondition", `key_id: ${problem}`);
}

/** Why a key cannot be rotated. A rotated key names its successor, even if its own life has ended since. */
function unrotatable(current: KeyRecord, now: Date): string | undefined {
  if (current.type === "publishable") {
    return "a publishable key cannot be rotated; create a new key, move its apps over, then revoke this one";
  }
  if (current.rotatedTo !== null) return `the key was rotated already; its successor is ${current.rotatedTo}`;
  const status = keyStatus(current, now);
  if (status === "revoked") return "the key was revoked and cannot be rotated; create a new key";
  if (status === "disabled") return "the key is disabled and cannot be rotated; enable it first";
  if (status === "expired") return "the key has expired and cannot be rotated; create a new key";
  return undefined;
}
