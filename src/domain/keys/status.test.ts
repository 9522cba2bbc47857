import { describe, expect, test } from "vitest";
import { denialOfStatus, keyStatus } from "./status.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const BEFORE = new Date(NOW.getTime() - 1);
const AFTER = new Date(NOW.getTime() + 1);
const USABLE = { revokedAt: null, disabledAt: null, expiresAt: null };

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
    expect(denialOfStatus("active")).toBeNull();
    expect(denialOfStatus("expired")).toBe("api_key_expired");
    expect(denialOfStatus("disabled")).toBe("api_key_disabled");
    expect(denialOfStatus("revoked")).toBe("api_key_revoked");
  });
});
