import type { Grant } from "../access/grant.ts";
import { budgetIdOf } from "../access/spending.ts";
import type { Act } from "../audit/event.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { type KeyStatus, keyStatus } from "../credentials/status.ts";
import type { IdempotentCall } from "../idempotency/idempotent-call.ts";
import { faultOf, type RequestFault } from "../vocabulary/request-fault.ts";
import { changeKey } from "./change.ts";
import { type CreateKeyContext, type DrawnKey, drawKey, type IssuedKey, newKey } from "./create.ts";
import type { KeyChange } from "./key-change.ts";
import { inheritedMembers } from "./key-fields.ts";
import { withGrant } from "./with-grant.ts";
import { checkSuccessor } from "./within-policy.ts";

export const GRACE_HOURS_DEFAULT = 24;
const HOUR_MS = 3_600_000;
/** Only an active key can be rotated. */
const UNUSABLE: Record<Exclude<KeyStatus, "active">, string> = {
  revoked: "the key was revoked and cannot be rotated; create a new key",
  disabled: "the key is disabled and cannot be rotated; enable it first",
  expired: "the key has expired and cannot be rotated; create a new key",
};

export type RotateKeyContext = Pick<CreateKeyContext, "keys" | "keyClock" | "keyBrand" | "tenantKeysMax">;

/**
 * Gives a secret key a successor. Both are valid for `graceHours`: absent is 24, 0 is "at once". The proto bounds them. Throws
 * `IdempotentReplay` if `call` has made one before.
 */
export async function rotateKey(
  ctx: RotateKeyContext,
  tenantId: string,
  keyId: string,
  graceHours: number | undefined,
  grant: Grant,
  act: Act,
  call?: IdempotentCall,
): Promise<IssuedKey> {
  const successor = drawKey("secret", ctx.keyBrand);
  const decide = withGrant(grant, (current, now) =>
    decideRotate(current, successor, graceHours ?? GRACE_HOURS_DEFAULT, ctx.tenantKeysMax, now),
  );
  const making = call && { call, keyId: successor.keyId };
  await changeKey({ keys: ctx.keys, clock: ctx.keyClock }, tenantId, keyId, decide, act, making);
  return successor;
}

/**
 * Makes a successor with the drawn id and secret and this key's settings. This key expires at the end of the grace
 * period, or at its own expiry if that is earlier.
 *
 * Both spend from one budget, which is that of the first key of a chain of rotations.
 *
 * `rotatedTo` is set under the row lock, so that of many concurrent rotations exactly one finds it empty.
 */
export function decideRotate(
  current: KeyRecord,
  drawn: DrawnKey,
  graceHours: number,
  tenantKeysMax: number,
  now: Date,
): KeyChange {
  refuseUnrotatable(current, now);
  const successor = newKey(
    drawn,
    { ...inheritedMembers(current), rotatedFrom: current.keyId, budgetId: budgetIdOf(current) },
    now,
  );
  const graceEnd = new Date(now.getTime() + graceHours * HOUR_MS);
  const expiresAt = current.expiresAt !== null && current.expiresAt < graceEnd ? current.expiresAt : graceEnd;
  const check = checkSuccessor(successor.record, tenantKeysMax, graceHours === 0);
  return { patch: { expiresAt, rotatedTo: drawn.keyId }, successor, check };
}

function refuseUnrotatable(current: KeyRecord, now: Date): void {
  const fault = unrotatable(current, now);
  if (fault !== undefined) throw fault;
}

/** Why a key cannot be rotated. For a rotated key it names the successor, in every later status. */
function unrotatable(current: KeyRecord, now: Date): RequestFault | undefined {
  if (current.type === "publishable") {
    return faultOf(
      "publishable_key_not_rotatable",
      "key_id",
      "a publishable key cannot be rotated; create a new key, move its apps over, then revoke this one",
    );
  }
  const status = keyStatus(current, now);
  if (current.rotatedTo !== null) {
    const what = status === "revoked" ? "the key was revoked, and rotated before" : "the key was rotated already";
    const successor = `its successor is ${current.rotatedTo}, rotate that one`;
    return faultOf("key_already_rotated", "key_id", `${what}; ${successor}`);
  }
  return status === "active" ? undefined : faultOf(`key_${status}`, "key_id", UNUSABLE[status]);
}
