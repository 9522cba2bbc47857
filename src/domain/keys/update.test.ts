import { describe, expect, test } from "vitest";
import { keyValues } from "../../../test/harness/memory-keys.ts";
import { createCatalogue } from "../access/catalogue.ts";
import type { KeyRecord, KeyType } from "../credentials/key.ts";
import { UNLIMITED } from "../limits/caps.ts";
import { faultOf } from "../vocabulary/request-fault.ts";
import type { KeyValues } from "./key-fields.ts";
import { decideUpdate, fixedField, parseUpdateMask, type UpdatableField } from "./update.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const at = (ms: number): Date => new Date(NOW.getTime() + ms);
const KEY = {
  type: "secret",
  revokedAt: null,
  disabledAt: null,
  expiresAt: null,
  rotatedTo: null,
} as Partial<KeyRecord> as KeyRecord;
const VALUES = keyValues({
  name: "new name",
  description: "new description",
  permissions: ["plans:read"],
  rateLimit: { requestsPerMinute: 1, requestsPerHour: 2, burstSize: 3 },
  expiresAt: at(1_000),
  metadata: { plan: "pro" },
  externalId: "customer 7",
  allowedIps: ["203.0.113.0/24"],
});

const CATALOGUE = createCatalogue();

describe("an update mask", () => {
  test.each<[string, UpdatableField[]]>([
    ["name", ["name"]],
    ["name,name", ["name"]],
    [" description , permissions ", ["description", "permissions"]],
    ["rate_limit,expires_at", ["rateLimit", "expiresAt"]],
    ["rateLimit,expiresAt", ["rateLimit", "expiresAt"]],
    ["rate_limit.requests_per_minute,rateLimit.requestsPerHour", ["requestsPerMinute", "requestsPerHour"]],
    ["rate_limit.per_user,rateLimit.perUser.burstSize", ["perUser", "perUser.burstSize"]],
  ])("%j names %j", (mask, fields) => expect([...parseUpdateMask(mask)]).toEqual(fields));

  const ALL = "name, description, permissions, rate_limit, expires_at";
  test.each([
    ["", `is required: a comma-separated list of ${ALL}`],
    ["  ", `is required: a comma-separated list of ${ALL}`],
    ["name,", "has an empty entry; remove the comma that is too many"],
    [",name", "has an empty entry; remove the comma that is too many"],
    [",", "has an empty entry; remove the comma that is too many"],
    ["name,,", "has an empty entry; remove the comma that is too many"],
    ["name,,description", "has an empty entry; remove the comma that is too many"],
    ["name , ,description", "has an empty entry; remove the comma that is too many"],
    ["rate_limit.burst", '"rate_limit.burst": name rate_limit, which is replaced as a whole, or of rate_limit or'],
    ["permissions.0", '"permissions.0": name permissions, which is replaced as a whole'],
    ["name description", '"name description" is several words; separate names by commas'],
    ["name;description", '"name;description" is several words; separate names by commas'],
    ["name|description", '"name|description" is several words; separate names by commas'],
    ["nmae", `"nmae" cannot be updated; did you mean "name"? The mask takes ${ALL}`],
    ["tenant_id", `"tenant_id" cannot be updated; name only ${ALL}`],
    ["status", `"status" cannot be updated: use disable, enable or revoke; name only ${ALL}`],
    ["key_prefix.x", `"key_prefix.x" cannot be updated; name only ${ALL}`],
  ])("%j is a fault that says why", (mask, problem) => {
    expect(() => parseUpdateMask(mask)).toThrow(expect.objectContaining({ message: expect.stringContaining(problem) }));
    expect(() => parseUpdateMask(mask)).toThrow(/^update_mask/);
  });

  // threat: B6
  test.each([
    ...["key_id", "keyId", "key", "key_prefix", "keyType", "key_type", "created_at", "createdAt", "updated_at"],
    ...["last_used_at", "revoked_at", "rotated_to", "rotated_from", "status", "tenant_id", "publishableConfig"],
    ...["publishable_config", "publishableConfig.oidc.issuer", "*", "a.b", "update_mask"],
    ...["Name", "NAME", "rate-limit", "Rate_Limit", "constructor", "__proto__", "toString", "secret_hash"],
  ])("%s is a fault by itself and beside a name, and the message names it", (field) => {
    for (const mask of [field, `name,${field}`])
      expect(() => parseUpdateMask(mask)).toThrow(
        expect.objectContaining({ message: expect.stringContaining(`"${field}"`) }),
      );
  });

  test("says of a status alone what changes it", () => {
    expect(fixedField("status")).toBe("cannot be updated: use disable, enable or revoke");
    expect(fixedField("type")).toBe("cannot be updated");
  });
});

describe("an update", () => {
  test("changes what the mask names, and nothing else", () => {
    for (const field of ["name", "description", "permissions", "rateLimit", "expiresAt"] as const) {
      expect(decideUpdate(KEY, new Set([field]), VALUES, CATALOGUE, NOW).patch).toEqual({ [field]: VALUES[field] });
    }
    expect(decideUpdate(KEY, new Set(), VALUES, CATALOGUE, NOW)).toEqual({ patch: {} });
  });

  test("that gives no limit or no expiry clears it", () => {
    const fields = new Set<UpdatableField>(["rateLimit", "expiresAt"]);
    const cleared = decideUpdate(
      { ...KEY, expiresAt: at(5) },
      fields,
      { ...VALUES, rateLimit: null, expiresAt: null },
      CATALOGUE,
      NOW,
    );
    expect(cleared.patch).toEqual({ rateLimit: UNLIMITED, expiresAt: null });
  });

  test("of a revoked key is a fault", () => {
    expect(() => decideUpdate({ ...KEY, revokedAt: at(-1) }, new Set(["name"]), VALUES, CATALOGUE, NOW)).toThrow(
      faultOf(
        "key_revoked",
        "key_id",
        "the key was revoked, which is permanent, and cannot be updated; create a new key",
      ),
    );
  });

  test.each<[string, UpdatableField, Partial<KeyValues>]>([
    ["name: is required", "name", { name: "\u200b" }],
    ["permissions[0]: is not a known scope", "permissions", { permissions: ["users:delete"] }],
    ["expires_at: must be in the future", "expiresAt", { expiresAt: NOW }],
  ])("is a fault if a new value is one: %s", (problem, field, values) => {
    expect(() => decideUpdate(KEY, new Set([field]), { ...VALUES, ...values }, CATALOGUE, NOW)).toThrow(problem);
    expect(decideUpdate(KEY, new Set(["description"]), { ...VALUES, ...values }, CATALOGUE, NOW)).toEqual({
      patch: { description: VALUES.description },
    });
  });

  test("gives a publishable key no scope that it cannot have", () => {
    const update = (type: KeyType) =>
      decideUpdate(
        { ...KEY, type },
        new Set(["permissions"]),
        { ...VALUES, permissions: ["billing:read"] },
        CATALOGUE,
        NOW,
      );
    expect(update("secret").patch).toEqual({ permissions: ["billing:read"] });
    expect(() => update("publishable")).toThrow("cannot be held by a publishable key");
  });
});

describe("a new expiry", () => {
  const expiry = (key: Partial<KeyRecord>, expiresAt: Date | null) =>
    decideUpdate({ ...KEY, ...key }, new Set(["expiresAt"]), { ...VALUES, expiresAt }, CATALOGUE, NOW).patch?.expiresAt;

  test("lies in the future", () => {
    expect(() => expiry({}, at(-1))).toThrow(/expires_at/);
    expect(expiry({}, at(1))).toEqual(at(1));
  });

  test("revives no expired key", () => {
    for (const expired of [at(-1), NOW]) {
      expect(() => expiry({ expiresAt: expired }, at(1))).toThrow(
        faultOf("key_expired", "expires_at", "the key has expired, which is final; create a new key"),
      );
      expect(() => expiry({ expiresAt: expired }, null)).toThrow(/is final/);
    }
    expect(expiry({ expiresAt: at(1) }, at(2))).toEqual(at(2));
  });

  test("shortens the life of a rotated key, and does not lengthen it", () => {
    const rotated = { expiresAt: at(10), rotatedTo: "key_next" };
    expect(expiry(rotated, at(9))).toEqual(at(9));
    // It changes nothing.
    expect(expiry(rotated, at(10))).toBeUndefined();
    for (const longer of [at(11), null]) {
      expect(() => expiry(rotated, longer)).toThrow(
        faultOf(
          "key_already_rotated",
          "expires_at",
          "the life of a rotated key cannot be lengthened; use its successor key_next",
        ),
      );
    }
    expect(expiry({ ...rotated, rotatedTo: null }, null)).toBeNull();
    expect(expiry({ ...rotated, expiresAt: null }, at(9))).toEqual(at(9));
  });
});
