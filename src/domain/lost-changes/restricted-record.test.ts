import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newKey } from "../../../test/harness/memory-keys.ts";
import type { AccessTokenRecord } from "../credentials/access-token.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { narrowerRights, rightsOf } from "../keys/key-fields.ts";
import { type PromisedState, storedState, targetOf } from "./promised-state.ts";
import { restrictedRecord } from "./restricted-record.ts";

const AT = new Date("2030-01-31T12:00:00Z");
const LATER = new Date("2030-02-28T12:00:00Z");
const { record } = newKey();
const { tenantId, keyId } = record;
const key = (fields: Partial<KeyRecord>): KeyRecord => ({ ...record, ...fields });
const ofKey = (fields: Partial<KeyRecord>): PromisedState => ({
  kind: "key",
  tenantId,
  keyId,
  rights: rightsOf(key(fields)),
});

describe("a promised state of a key", () => {
  const NARROWER: readonly (readonly [string, Partial<KeyRecord>, Partial<KeyRecord>])[] = [
    ["revoked", {}, { revokedAt: AT }],
    ["disabled", {}, { disabledAt: AT }],
    ["given an end", {}, { expiresAt: AT }],
    ["given an earlier end", { expiresAt: LATER }, { expiresAt: AT }],
    ["deprived of a permission", { permissions: ["a:read", "a:write"] }, { permissions: ["a:read"] }],
    ["bound to addresses", {}, { allowedIps: ["192.0.2.0/24"] }],
    ["bound to fewer origins", { allowedOrigins: ["https://a", "https://b"] }, { allowedOrigins: ["https://a"] }],
    ["closed to browsers", { allowBrowser: true }, { allowBrowser: false }],
    [
      "limited",
      { rateLimit: { requestsPerMinute: 0, requestsPerHour: 0, burstSize: 0 } },
      { rateLimit: { requestsPerMinute: 10, requestsPerHour: 0, burstSize: 0 } },
    ],
    [
      "limited for each user",
      { rateLimit: { requestsPerMinute: 9, requestsPerHour: 0, burstSize: 0 } },
      {
        rateLimit: {
          ...{ requestsPerMinute: 9, requestsPerHour: 0, burstSize: 0 },
          perUser: { requestsPerMinute: 1, requestsPerHour: 0, burstSize: 0 },
        },
      },
    ],
  ];

  test.each(NARROWER)("takes away what the change took away: a key that was %s", (_, before, after) => {
    expect(restrictedRecord(ofKey(after), key(before))).toEqual(key({ ...before, ...after }));
  });

  test.each(NARROWER)("gives nothing back: a key that was not %s any more", (_, after, before) => {
    expect(restrictedRecord(ofKey(after), key(before))).toEqual(key(before));
  });

  test("leaves members that are not rights as they are", () => {
    const before = key({ name: "old", metadata: { a: "b" }, externalId: "x" });
    expect(narrowerRights(before, rightsOf(key({ name: "new" })))).toEqual({});
  });

  test("law: applied twice it is the same, whatever the two keys may do", () => {
    const instant = fc.constantFrom(null, AT, LATER);
    const list = fc.subarray(["a:read", "b:read", "c:read"]);
    const rights = fc.record({
      permissions: list,
      allowedIps: list,
      allowedOrigins: list,
      expiresAt: instant,
      disabledAt: instant,
      revokedAt: instant,
      allowBrowser: fc.boolean(),
    });
    fc.assert(
      fc.property(rights, rights, (before, after) => {
        const once = restrictedRecord(ofKey(after), key(before));
        expect(restrictedRecord(ofKey(after), once)).toEqual(once);
      }),
    );
  });
});

describe("a promised state of", () => {
  const member = { issuer: "https://idp", tenantId, orgId: "org_1", name: "A", role: "owner", currentAtMs: null };
  const other = { ...member, tenantId: "ten_2", orgId: "org_2" };
  const memberships = [member, other].map((each) => ({ ...each, isRemoved: false }));

  test("a suspended tenant suspends it, and one that was resumed does not resume it", () => {
    const state = (isSuspended: boolean): PromisedState => ({ kind: "tenant", tenantId, isSuspended });
    expect(restrictedRecord(state(true), { isSuspended: false })).toEqual({ isSuspended: true });
    expect(restrictedRecord(state(false), { isSuspended: true })).toEqual({ isSuspended: true });
  });

  test("a token revokes it", () => {
    const token: AccessTokenRecord = {
      ...{ tokenId: "t", tenantId, keyId, secretHash: "", scopes: [], userId: null, audience: "", ruleId: null },
      ...{ confirmationJkt: null, createdAt: AT, expiresAt: LATER, revokedAt: null },
    };
    const state: PromisedState = { kind: "token", tenantId, tokenId: "t" };
    const restricted = restrictedRecord(state, { token, isRuleOff: false });
    expect("token" in restricted && restricted.token.revokedAt).toBeInstanceOf(Date);
  });

  test("a rule that was deleted or disabled switches it off, and no rule on", () => {
    const state = (rule: (PromisedState & { kind: "rule" })["rule"]): PromisedState => ({
      ...{ kind: "rule", tenantId, ruleId: "fed_1", rule },
    });
    const enabled = {
      ...{ name: "", issuer: "", jwksUrl: null, jwks: null, audience: "", claimRules: [], keyId, scopes: [] },
      ...{ ttlSeconds: 1, status: "enabled" as const },
    };
    expect(restrictedRecord(state(null), { isOff: false })).toEqual({ isOff: true });
    expect(restrictedRecord(state({ ...enabled, status: "disabled" }), { isOff: false })).toEqual({ isOff: true });
    expect(restrictedRecord(state(enabled), { isOff: true })).toEqual({ isOff: true });
  });

  test("a removed member removes them from that organization, and so does another role, until it is made again", () => {
    const state = (role: string | null): PromisedState => ({
      ...{ kind: "member", tenantId, issuer: "https://idp", userId: "u", role },
    });
    for (const role of [null, "viewer"])
      expect(restrictedRecord(state(role), { memberships })).toEqual({
        memberships: [{ ...member, isRemoved: true }, memberships[1]],
      });
    expect(restrictedRecord(state("owner"), { memberships })).toEqual({ memberships });
  });

  test("an erased tenant suspends it, and one of an erased user removes them", () => {
    const state = (target: (PromisedState & { kind: "erasure" })["target"]): PromisedState => ({
      kind: "erasure",
      target,
    });
    const ofTenant = state({ kind: "tenant", tenantId });
    expect(restrictedRecord(ofTenant, { isSuspended: false })).toEqual({ isSuspended: true });
    for (const issuer of [null, "https://idp"])
      expect(restrictedRecord(state({ kind: "user", tenantId, userId: "u", issuer }), { memberships })).toEqual({
        memberships: [{ ...member, isRemoved: true }, memberships[1]],
      });
  });
});

test("states of one target have one name, and those of others have others", () => {
  const states: readonly PromisedState[] = [
    ofKey({}),
    { kind: "tenant", tenantId, isSuspended: true },
    { kind: "token", tenantId, tokenId: keyId },
    { kind: "rule", tenantId, ruleId: keyId, rule: null },
    { kind: "member", tenantId, issuer: "i", userId: "u", role: null },
    { kind: "member", tenantId, issuer: "j", userId: "u", role: null },
    { kind: "erasure", target: { kind: "tenant", tenantId } },
    { kind: "erasure", target: { kind: "user", tenantId, userId: "u", issuer: null } },
  ];
  expect(new Set(states.map(targetOf)).size).toBe(states.length);
  expect(targetOf(ofKey({ revokedAt: AT }))).toBe(targetOf(ofKey({})));
});

test("a state that was stored as JSON is the same", () => {
  const state = ofKey({ expiresAt: AT, disabledAt: null, revokedAt: LATER });
  expect(storedState(JSON.parse(JSON.stringify(state)))).toEqual(state);
});
