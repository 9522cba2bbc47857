import { describe, expect, test } from "vitest";
import { type KeyRecord, UNLIMITED } from "./key.ts";
import { decideRotate } from "./rotate.ts";
import { hashSecret, secretPrefix } from "./secret.ts";

const DRAWN = { keyId: "key_new", secret: "sk_new" };
const HOUR_MS = 3_600_000;
const NOW = new Date("2026-03-01T12:00:00.123Z");
const later = (ms: number) => new Date(NOW.getTime() + ms);

const KEY: KeyRecord = {
  keyId: "key_old",
  tenantId: "ten_1",
  type: "secret",
  secretPrefix: "sk_old",
  name: "a key",
  description: "of a backend",
  permissions: ["users:read"],
  rateLimit: UNLIMITED,
  oidc: null,
  expiresAt: null,
  createdAt: NOW,
  updatedAt: NOW,
  disabledAt: null,
  revokedAt: null,
  rotatedTo: null,
  rotatedFrom: null,
};

describe("a rotation", () => {
  test("makes a key like the old one with the drawn id and secret, and links both", () => {
    const record = { ...KEY, expiresAt: later(99 * HOUR_MS) };
    const { patch, successor } = decideRotate(record, DRAWN, 24, NOW);
    expect(patch).toEqual({ expiresAt: later(24 * HOUR_MS), rotatedTo: DRAWN.keyId });
    expect(successor).toEqual({
      record: {
        ...record,
        keyId: DRAWN.keyId,
        secretPrefix: secretPrefix(DRAWN.secret),
        rotatedFrom: record.keyId,
      },
      secretHash: hashSecret(DRAWN.secret),
    });
  });

  test("never extends the life of the old key", () => {
    const record = { ...KEY, expiresAt: later(HOUR_MS) };
    expect(decideRotate(record, DRAWN, 24, NOW).patch.expiresAt).toEqual(later(HOUR_MS));
  });

  test.each([
    ["revoked", { revokedAt: NOW }],
    ["disabled", { disabledAt: NOW }],
    ["expired", { expiresAt: NOW }],
    ["publishable", { type: "publishable" }],
    ["rotated already", { rotatedTo: "key_other" }],
  ] as const)("of a key that is %s is refused", (what, fields) => {
    expect(() => decideRotate({ ...KEY, ...fields }, DRAWN, 24, NOW)).toThrow(what);
  });
});
