import type { FoundAccessToken, RuleState } from "../access-tokens/access-token-store.ts";
import type { KeyRecord } from "../credentials/key.ts";
import type { KeyFormatList } from "../key-formats/key-format.ts";
import { narrowerRights } from "../keys/key-fields.ts";
import type { MembershipRecord, MembershipRecords } from "../orgs/org.ts";
import type { TenantState } from "../tenants/tenant.ts";
import type { PromisedState } from "./promised-state.ts";

/** What replicas cache. */
export type CachedRecord = KeyRecord | TenantState | FoundAccessToken | RuleState | MembershipRecords | KeyFormatList;

/**
 * What a request must be decided by while the database lacks a promised change: the record that the database has, without the rights
 * that the change took away. It never gives any.
 */
export function restrictedRecord(state: PromisedState, record: CachedRecord): CachedRecord {
  switch (state.kind) {
    case "key":
      return "keyId" in record ? { ...record, ...narrowerRights(record, state.rights) } : record;
    case "tenant":
      return "isSuspended" in record && state.isSuspended ? { isSuspended: true } : record;
    case "token":
      return "token" in record ? { ...record, token: { ...record.token, revokedAt: new Date(0) } } : record;
    case "rule":
      return "isOff" in record && state.rule?.status !== "enabled" ? { isOff: true } : record;
    case "member":
      return "memberships" in record ? withMember(record, (own) => isOf(state, own), state.role) : record;
    case "erasure":
      return erased(state, record);
    default:
      return state satisfies never;
  }
}

function erased({ target }: PromisedState & { kind: "erasure" }, record: CachedRecord): CachedRecord {
  if (target.kind === "tenant") return "isSuspended" in record ? { isSuspended: true } : record;
  if (!("memberships" in record)) return record;
  const isTheirs = (own: MembershipRecord) =>
    own.tenantId === target.tenantId && (target.issuer === null || own.issuer === target.issuer);
  return withMember(record, isTheirs, null);
}

function isOf(member: { readonly tenantId: string; readonly issuer: string }, own: MembershipRecord): boolean {
  return own.tenantId === member.tenantId && own.issuer === member.issuer;
}

/** Whether a role is wider than another one is not known here: a member with another role than the promised one has none. */
function withMember(
  { memberships }: MembershipRecords,
  isIt: (own: MembershipRecord) => boolean,
  role: string | null,
): MembershipRecords {
  return {
    memberships: memberships.map((own) => (isIt(own) && own.role !== role ? { ...own, isRemoved: true } : own)),
  };
}
