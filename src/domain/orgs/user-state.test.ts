// promise: orgs.switch
import { describe, expect, test } from "vitest";
import type { MembershipRecord } from "./org.ts";
import { userStateOf } from "./user-state.ts";

const ISSUER = "https://idp.example";

function record(n: number, changes: Partial<MembershipRecord> = {}): MembershipRecord {
  const names = { orgId: `org_${n}`, tenantId: `ten_${n}`, name: `Org ${n}` };
  return { ...names, issuer: ISSUER, role: "viewer", currentAtMs: null, isRemoved: false, ...changes };
}

function currentOf(...memberships: MembershipRecord[]): string | undefined {
  return userStateOf({ memberships }, ISSUER).memberships.find(({ isCurrent }) => isCurrent)?.tenantId;
}

describe("the current membership", () => {
  test("is the only one, or the one that the user switched to last", () => {
    expect(currentOf()).toBeUndefined();
    expect(currentOf(record(1))).toBe("ten_1");
    expect(currentOf(record(1), record(2))).toBeUndefined();
    expect(currentOf(record(1, { currentAtMs: 5 }), record(2))).toBe("ten_1");
    expect(currentOf(record(1, { currentAtMs: 5 }), record(2, { currentAtMs: 6 }))).toBe("ten_2");
  });

  test("excludes the one that the user was removed from, and is then the only other one", () => {
    expect(currentOf(record(1, { currentAtMs: 9, isRemoved: true }))).toBeUndefined();
    expect(currentOf(record(1, { currentAtMs: 9, isRemoved: true }), record(2))).toBe("ten_2");
  });
});

describe("a user", () => {
  test("is one of an issuer", () => {
    const memberships = [record(1, { issuer: "https://other.example" }), record(2)];
    expect(userStateOf({ memberships }, ISSUER).memberships.map(({ tenantId }) => tenantId)).toEqual(["ten_2"]);
  });

  test("was removed from a tenant as a user of an issuer", () => {
    const removed = record(1, { isRemoved: true });
    expect(userStateOf({ memberships: [removed] }, ISSUER).wasRemovedFrom("ten_1")).toBe(true);
    expect(userStateOf({ memberships: [removed] }, ISSUER).wasRemovedFrom("ten_2")).toBe(false);
    expect(userStateOf({ memberships: [removed] }, "https://other.example").wasRemovedFrom("ten_1")).toBe(false);
  });
});
