// promise: erasure.tenant
import { describe, expect, test } from "vitest";
import { keyStatus, refusalOf } from "./status.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const BEFORE = new Date(NOW.getTime() - 1);
const AFTER = new Date(NOW.getTime() + 1);
const USABLE = { revokedAt: null, disabledAt: null, expiresAt: null };

const PERMISSIONS = { permissions: ["users:read"] };

function reasonOf(key: Partial<typeof USABLE> | Partial<Record<keyof typeof USABLE, Date>>): string | undefined {
  return refusalOf({ key: { ...USABLE, ...PERMISSIONS, ...key }, at: NOW, isTenantSuspended: false })?.reason;
}

describe("a key's status", () => {
  test("is revoked before it is disabled, and disabled before it is expired", () => {
    expect(keyStatus({ revokedAt: BEFORE, disabledAt: BEFORE, expiresAt: BEFORE }, NOW)).toBe("revoked");
    expect(keyStatus({ revokedAt: null, disabledAt: BEFORE, expiresAt: BEFORE }, NOW)).toBe("disabled");
    expect(keyStatus({ ...USABLE, expiresAt: BEFORE }, NOW)).toBe("expired");
    expect(keyStatus(USABLE, NOW)).toBe("active");
  });

  test("is expired from the very millisecond of its expiry on", () => {
    expect(keyStatus({ ...USABLE, expiresAt: NOW }, NOW)).toBe("expired");
    expect(keyStatus({ ...USABLE, expiresAt: AFTER }, NOW)).toBe("active");
  });

  test("is the denial's reason, unless the key is active", () => {
    expect(reasonOf({})).toBeUndefined();
    expect(reasonOf({ expiresAt: BEFORE })).toBe("api_key_expired");
    expect(reasonOf({ disabledAt: BEFORE })).toBe("api_key_disabled");
    expect(reasonOf({ revokedAt: BEFORE })).toBe("api_key_revoked");
  });

  test("does not help a key whose tenant is suspended: it counts as disabled, and the message says why", () => {
    for (const key of [{}, { expiresAt: BEFORE }]) {
      const refusal = refusalOf({ key: { ...USABLE, ...PERMISSIONS, ...key }, at: NOW, isTenantSuspended: true });
      expect(refusal).toMatchObject({ reason: "api_key_disabled", message: expect.stringContaining("tenant") });
    }
    for (const key of [{ disabledAt: BEFORE }, { revokedAt: BEFORE }]) {
      const refusal = refusalOf({ key: { ...USABLE, ...PERMISSIONS, ...key }, at: NOW, isTenantSuspended: true });
      expect(refusal?.reason).toBe(reasonOf(key));
      expect(refusal?.message).not.toContain("tenant");
    }
  });

  test("stays what it was for the keys of an erased tenant, which is suspended", () => {
    const refusalIn = (key: object) =>
      refusalOf({ key: { ...USABLE, permissions: [], ...key }, at: NOW, isTenantSuspended: true })?.reason;
    expect(refusalIn({ expiresAt: BEFORE })).toBe("api_key_expired");
    expect(refusalIn({ revokedAt: BEFORE, expiresAt: BEFORE })).toBe("api_key_revoked");
    expect(refusalIn({ expiresAt: AFTER })).toBe("api_key_disabled");
  });
});
