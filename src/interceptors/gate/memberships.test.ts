import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { accessRules } from "../../../test/harness/access-rules.ts";
import { newCall, startGate } from "../../../test/harness/memory-gate.ts";
import { createAuthority } from "../../domain/access/authority.ts";
import type { Principal } from "../../domain/access/principal.ts";
import type { MembershipRecord } from "../../domain/orgs/org.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { ServiceGateContext } from "./service-gate.ts";

const ISSUER = "https://platform.example";
const CREATE_ORG = "/api/v1/orgs/create";
const ACCEPT = "/api/v1/orgs/invitations/accept";

function record(n: number, changes: Partial<MembershipRecord> = {}): MembershipRecord {
  const names = { orgId: `org_${n}`, tenantId: `ten_${n}`, name: `Org ${n}` };
  return { ...names, issuer: ISSUER, role: "viewer", currentAtMs: null, isRemoved: false, ...changes };
}

/** A gate that knows these memberships of each user, and what it decides about a token with these claims. */
async function start(memberships: readonly MembershipRecord[], changes: Partial<ServiceGateContext> = {}) {
  const asked: string[] = [];
  const members = {
    async findMemberships(userId: string) {
      asked.push(userId);
      return { memberships };
    },
  };
  const { gate, methodOf, dashboardToken } = await startGate(() => ({ memberships: members, ...changes }));
  async function authenticate(claims: Record<string, unknown> = {}, path = CREATE_ORG): Promise<Principal | string> {
    const call = newCall({ authorization: [`Bearer ${dashboardToken(claims)}`] });
    try {
      return await gate.check(methodOf(path), call);
    } catch (err) {
      return call.denial instanceof Denial ? call.denial.reason : `no denial: ${Code[ConnectError.from(err).code]}`;
    }
  }
  return { authenticate, asked };
}

const fromMembership = { tenantFromMembership: true };
const readsRoles = { authority: createAuthority(accessRules({ rolesClaim: "roles" })) };

describe("a user whose token names a tenant", () => {
  test("has the role of the membership in it", async () => {
    const { authenticate, asked } = await start([record(1, { role: "developer" }), record(2, { role: "owner" })]);
    const user = await authenticate({ sub: "anna" });
    expect(user).toMatchObject({ tenantId: "ten_1", rights: { scopes: expect.arrayContaining(["api_keys:*"]) } });
    expect(asked).toEqual(["anna"]);
  });

  test("who is not a member of it is an admin, as the provider says", async () => {
    const { authenticate } = await start([record(2)]);
    expect(await authenticate()).toMatchObject({ tenantId: "ten_1", rights: { scopes: ["*"] } });
  });

  test("and roles, where these are read, has those of the token", async () => {
    const { authenticate } = await start([record(1, { role: "owner" })], readsRoles);
    expect(await authenticate({ roles: ["viewer"] })).not.toMatchObject({ rights: { scopes: ["*"] } });
    expect(await authenticate()).toMatchObject({ tenantId: "ten_1", rights: { scopes: [] } });
  });

  test("is denied once they were removed, and not if another issuer's user of that id was", async () => {
    const removed = await start([record(1, { isRemoved: true })], fromMembership);
    expect(await removed.authenticate()).toBe("tenant_required");
    expect(await removed.authenticate({ tenant_id: "ten_2" })).toMatchObject({ tenantId: "ten_2" });
    const other = await start([record(1, { isRemoved: true, issuer: "https://other.example" })]);
    expect(await other.authenticate()).toMatchObject({ tenantId: "ten_1" });
  });

  test("has none where they accept an invitation after a removal, and no right of the token", async () => {
    for (const changes of [{}, readsRoles, { rolesFromMembership: true }]) {
      const { authenticate } = await start([record(1, { isRemoved: true, role: "owner" }), record(2)], changes);
      expect(await authenticate({ roles: ["owner"] }, ACCEPT)).toMatchObject({
        ...{ tenantId: null, memberRole: null, rights: { scopes: [] } },
      });
    }
  });

  test("is not given another one by the memberships", async () => {
    const { authenticate } = await start([record(2, { role: "owner" })], fromMembership);
    expect(await authenticate()).toMatchObject({ tenantId: "ten_1" });
  });
});

describe("where roles are those of memberships", () => {
  const FROM = { rolesFromMembership: true };

  test("a user has the role of their membership, whatever roles the token has", async () => {
    for (const more of [{}, readsRoles]) {
      const { authenticate } = await start([record(1, { role: "developer" })], { ...FROM, ...more });
      const user = await authenticate({ roles: ["owner"] });
      expect(user).toMatchObject({ tenantId: "ten_1", memberRole: "developer" });
      expect(user).toMatchObject({ rights: { scopes: expect.arrayContaining(["api_keys:*"]) } });
      expect(user).not.toMatchObject({ rights: { scopes: expect.arrayContaining(["*"]) } });
    }
  });

  test("a user who is not a member of the tenant has no role, also with roles in the token", async () => {
    for (const more of [{}, readsRoles]) {
      const { authenticate } = await start([record(2, { role: "owner" })], { ...FROM, ...more });
      expect(await authenticate({ roles: ["owner"] })).toMatchObject({
        ...{ tenantId: "ten_1", memberRole: null, rights: { scopes: [] } },
      });
    }
  });
});

describe("a user whose token names no tenant", () => {
  const WITHOUT = { tenant_id: undefined };

  test("has none unless memberships give one", async () => {
    const { authenticate } = await start([record(1, { role: "owner" })]);
    expect(await authenticate(WITHOUT)).toMatchObject({ tenantId: null, rights: { scopes: [] } });
  });

  test("has the tenant and the role of the only or the current membership, also where roles are read", async () => {
    for (const more of [{}, readsRoles]) {
      const { authenticate } = await start([record(1, { role: "owner" })], { ...fromMembership, ...more });
      const owner = { tenantId: "ten_1", rights: { scopes: ["*"] } };
      expect(await authenticate({ ...WITHOUT, roles: ["viewer"] })).toMatchObject(owner);
    }
    const chosen = await start([record(1), record(2, { currentAtMs: 5 })], fromMembership);
    expect(await chosen.authenticate(WITHOUT)).toMatchObject({ tenantId: "ten_2" });
  });

  test("has none with several memberships and no choice, after a removal, and by another issuer's membership", async () => {
    for (const records of [
      [record(1), record(2)],
      [record(1, { isRemoved: true })],
      [record(1, { issuer: "https://other.example" })],
    ]) {
      const { authenticate } = await start(records, fromMembership);
      expect(await authenticate(WITHOUT)).toMatchObject({ tenantId: null });
    }
  });
});

test("a membership of a suspended tenant is denied, and memberships that cannot be read are an outage", async () => {
  const suspended = { tenants: { findTenant: async () => ({ isSuspended: true }) } };
  const one = await start([record(1)], { ...fromMembership, ...suspended });
  expect(await one.authenticate({ tenant_id: undefined })).toBe("tenant_suspended");
  const findMemberships = () => Promise.reject(new StoreUnavailable(new Error("away")));
  const away = await start([], { memberships: { findMemberships } });
  expect(await away.authenticate()).toBe("no denial: Unavailable");
});
