import { describe, expect, test } from "vitest";
import { ACT } from "../../../test/harness/act.ts";
import { createMemoryKeys, later, NOW, newKey } from "../../../test/harness/memory-keys.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { hashSecret, secretForm, secretPrefix } from "../credentials/secret.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import { decideRotate, rotateKey } from "./rotate.ts";

const DRAWN = { keyId: "key_new", secret: "sk_new", secretPrefix: "sk_new", secretHash: hashSecret("sk_new") };
const HOUR_MS = 3_600_000;

const KEY = newKey({ description: "of a backend" }).record;

describe("a rotation", () => {
  test("makes a key like the old one with the drawn id and secret, and links both", () => {
    const record = { ...KEY, expiresAt: later(99 * HOUR_MS) };
    const { patch, successor } = decideRotate(record, DRAWN, 24, 10_000, NOW);
    expect(patch).toEqual({ expiresAt: later(24 * HOUR_MS), rotatedTo: DRAWN.keyId });
    expect(successor).toEqual({
      record: {
        ...record,
        keyId: DRAWN.keyId,
        secretPrefix: secretPrefix(DRAWN.secret),
        rotatedFrom: record.keyId,
        budgetId: record.keyId,
      },
      secretHash: hashSecret(DRAWN.secret),
    });
  });

  test("never extends the life of the old key", () => {
    const record = { ...KEY, expiresAt: later(HOUR_MS) };
    expect(decideRotate(record, DRAWN, 24, 10_000, NOW).patch.expiresAt).toEqual(later(HOUR_MS));
  });

  // threat: R12
  test("gives a successor all settings of the old key, of the same tenant", () => {
    const record: KeyRecord = {
      ...KEY,
      rateLimit: { requestsPerMinute: 1, requestsPerHour: 2, burstSize: 3 },
      permissions: ["users:*", "plans:read"],
      rotatedFrom: "key_older",
    };
    const { keyId: _, secretPrefix: __, rotatedFrom: ___, budgetId: ____, ...settings } = record;
    expect(decideRotate(record, DRAWN, 24, 10_000, NOW).successor?.record).toMatchObject(settings);
  });

  test("ends the old key at the end of the grace period, or at its own end if that is earlier", () => {
    const endOf = (expiresAt: Date | null, graceHours: number) =>
      decideRotate({ ...KEY, expiresAt }, DRAWN, graceHours, 10_000, NOW).patch.expiresAt;
    expect(endOf(null, 0)).toEqual(NOW);
    expect(endOf(null, 1)).toEqual(later(HOUR_MS));
    expect(endOf(later(HOUR_MS - 1), 1)).toEqual(later(HOUR_MS - 1));
    expect(endOf(later(HOUR_MS + 1), 1)).toEqual(later(HOUR_MS));
  });

  test.each([
    ["revoked", "key_revoked", { revokedAt: NOW }, "the key was revoked and cannot be rotated; create a new key"],
    ["disabled", "key_disabled", { disabledAt: NOW }, "the key is disabled and cannot be rotated; enable it first"],
    ["expired", "key_expired", { expiresAt: NOW }, "the key has expired and cannot be rotated; create a new key"],
    [
      "publishable",
      "publishable_key_not_rotatable",
      { type: "publishable", rotatedTo: "key_2" },
      "a publishable key cannot be rotated; create a new key, move its apps over, then revoke this one",
    ],
    [
      "rotated already",
      "key_already_rotated",
      { rotatedTo: "key_2", disabledAt: NOW },
      "the key was rotated already; its successor is key_2, rotate that one",
    ],
    [
      "rotated and then revoked",
      "key_already_rotated",
      { rotatedTo: "key_2", revokedAt: NOW },
      "the key was revoked, and rotated before; its successor is key_2, rotate that one",
    ],
  ] as const)("of a key that is %s is refused with what to do", (_what, reason, fields, problem) => {
    const fault = faultOf(reason, "key_id", problem);
    expect(() => decideRotate({ ...KEY, ...fields }, DRAWN, 24, 10_000, NOW)).toThrow(expect.objectContaining(fault));
  });
});

describe("rotating a stored key", () => {
  async function storedKey() {
    const keys = createMemoryKeys();
    const key = newKey();
    await keys.insertKey(key, ACT);
    const { tenantId, keyId } = key.record;
    const ctx = { keys, keyClock: () => NOW, keyBrand: null, tenantKeysMax: 10_000 };
    return {
      keys,
      tenantId,
      keyId,
      rotate: (graceHours?: number) => rotateKey(ctx, tenantId, keyId, graceHours, () => {}, ACT),
    };
  }

  test("issues a secret key, which is found by its secret, and links the old one to it", async () => {
    const { keys, tenantId, keyId, rotate } = await storedKey();
    const issued = await rotate(1);
    expect(secretForm(issued.secret)).toBe("well_formed");
    expect(issued.secret).toMatch(/^sk_/);
    expect(await keys.findKeyBySecretHash(hashSecret(issued.secret))).toMatchObject({
      keyId: issued.keyId,
      tenantId,
      rotatedFrom: keyId,
    });
    expect(await keys.findKey(tenantId, keyId)).toMatchObject({
      rotatedTo: issued.keyId,
      expiresAt: later(HOUR_MS),
      updatedAt: NOW,
    });
  });

  test("leaves the old one a day if no grace period is named, and none at all if it is 0", async () => {
    const day = await storedKey();
    await day.rotate();
    expect(await day.keys.findKey(day.tenantId, day.keyId)).toMatchObject({ expiresAt: later(24 * HOUR_MS) });
    const none = await storedKey();
    await none.rotate(0);
    expect(await none.keys.findKey(none.tenantId, none.keyId)).toMatchObject({ expiresAt: NOW });
  });

  test("twice is refused, and stores one successor", async () => {
    const { keys, tenantId, rotate } = await storedKey();
    const attempts = await Promise.allSettled([rotate(), rotate()]);
    expect(attempts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const { total } = await keys.listKeys(tenantId, { status: null, now: NOW }, { page: 1, perPage: 10 });
    expect(total).toBe(2);
  });
});
