import type { Membership, MembershipRecord, MembershipRecords } from "./org.ts";

/** What memberships decide about a user. */
export interface UserState {
  /** Of which the user is a member. At most one is the current one: the only one, or the one that they switched to last. */
  readonly memberships: readonly Membership[];
  /** Whether the user was removed from a tenant: then their token is older than that. */
  wasRemovedFrom(tenantId: string): boolean;
}

export function userStateOf({ memberships }: MembershipRecords, issuer: string): UserState {
  const own = memberships.filter((record) => record.issuer === issuer);
  const active = own.filter(({ isRemoved }) => !isRemoved);
  const current = active.length === 1 ? active[0] : latest(active);
  return {
    memberships: active.map((record) => ({
      orgId: record.orgId,
      tenantId: record.tenantId,
      name: record.name,
      role: record.role,
      isCurrent: record === current,
    })),
    wasRemovedFrom: (tenantId) => own.some((record) => record.tenantId === tenantId && record.isRemoved),
  };
}

function latest(records: readonly MembershipRecord[]): MembershipRecord | undefined {
  return records
    .filter(({ currentAtMs }) => currentAtMs !== null)
    .toSorted((a, b) => (b.currentAtMs ?? 0) - (a.currentAtMs ?? 0))[0];
}
