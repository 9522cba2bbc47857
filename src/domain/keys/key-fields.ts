import type { Catalogue } from "../access/catalogue.ts";
import { checkedBrowser, checkedIps, checkedOrigins } from "../credentials/fence.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { checkedMetadata } from "../credentials/metadata.ts";
import type { RateLimit } from "../limits/caps.ts";
import type { Json } from "../vocabulary/json.ts";
import { checkedName } from "../vocabulary/name.ts";
import { snakeCase } from "../vocabulary/snake-case.ts";
import { auditedInstant, auditedLimit, auditedList, auditedOidc } from "./audited-values.ts";
import { endsSooner, lacksSome, lowersLimit, narrowsList } from "./restrictions.ts";
import { checkedPermissions, newExpiry } from "./rules.ts";

/** The members of a record that a request cannot describe, or describes otherwise. */
type FixedMember =
  | "keyId"
  | "tenantId"
  | "type"
  | "secretPrefix"
  | "oidc"
  | "createdAt"
  | "updatedAt"
  | "disabledAt"
  | "revokedAt"
  | "rotatedTo"
  | "rotatedFrom"
  | "budgetId";

/** The members that a new key is described with, and that an update changes. */
export type GivenMember = Exclude<keyof KeyRecord, FixedMember>;

/** Their values in a request. Null: it has none, which an update clears if its mask names it. */
export type KeyValues = Omit<Pick<KeyRecord, GivenMember>, "rateLimit" | "allowBrowser"> & {
  readonly rateLimit: RateLimit | null;
  readonly allowBrowser: boolean | null;
};

/** What the check of a value depends on. */
export interface GivenContext {
  /** The key as it is; a new one has neither. */
  readonly current: Pick<KeyRecord, "type" | "expiresAt" | "rotatedTo">;
  readonly catalogue: Catalogue;
  /** The limit where the request has none. */
  readonly rateLimitDefault: RateLimit;
  readonly now: Date;
}

interface KeyField {
  /** Its name in the audit trail. Default: the member's, in snake case, as in masks and in the database. */
  readonly name?: string;
  /** Its value in the audit trail, for both states of a change. Null: the trail does not have it. */
  readonly audited: ((key: KeyRecord) => Json) | null;
  /** Whether the successor of a rotated key has the same. */
  readonly inherited: boolean;
  /** Whether the tenant's rules are about it. */
  readonly ruled?: true;
  /** Whether a change of it takes rights away. Null: it never does. */
  readonly restricts: ((old: KeyRecord, now: KeyRecord) => boolean) | null;
}

interface GivenField<Member extends GivenMember> extends KeyField {
  /** The checked value. Throws `RequestFault`. */
  readonly given: (values: KeyValues, ctx: GivenContext) => KeyRecord[Member];
  readonly audited: (key: KeyRecord) => Json;
}

type KeyFields = { readonly [Member in FixedMember]: KeyField } & {
  readonly [Member in GivenMember]: GivenField<Member>;
};

/**
 * The fields of a key, with all that is known of each: the order is that of masks in messages. The mask of an update, its
 * changes, what a new key is checked for, a rotation's successor, the audit trail and the columns are made from it.
 */
const KEY_FIELDS = {
  keyId: { audited: null, inherited: false, restricts: null },
  tenantId: { audited: null, inherited: true, restricts: null },
  type: { name: "key_type", audited: ({ type }) => type, inherited: true, restricts: null },
  secretPrefix: { audited: null, inherited: false, restricts: null },
  name: { given: ({ name }) => checkedName(name), audited: ({ name }) => name, inherited: true, restricts: null },
  description: {
    given: ({ description }) => description,
    audited: ({ description }) => description,
    inherited: true,
    restricts: null,
  },
  permissions: {
    given: ({ permissions }, { current, catalogue }) => checkedPermissions(permissions, current.type, catalogue),
    audited: ({ permissions }) => [...permissions],
    inherited: true,
    ruled: true,
    restricts: (old, now) => lacksSome(old.permissions, now.permissions),
  },
  rateLimit: {
    given: ({ rateLimit }, { rateLimitDefault }) => rateLimit ?? rateLimitDefault,
    audited: ({ rateLimit }) => auditedLimit(rateLimit),
    inherited: true,
    ruled: true,
    restricts: (old, now) => lowersLimit(old.rateLimit, now.rateLimit),
  },
  oidc: {
    name: "publishable_config",
    audited: ({ oidc }) => oidc && { oidc: auditedOidc(oidc) },
    inherited: true,
    restricts: null,
  },
  expiresAt: {
    given: ({ expiresAt }, { current, now }) => newExpiry(current, expiresAt, now),
    audited: ({ expiresAt }) => auditedInstant(expiresAt),
    inherited: true,
    ruled: true,
    restricts: (old, now) => endsSooner(old.expiresAt, now.expiresAt),
  },
  createdAt: { audited: null, inherited: false, restricts: null },
  updatedAt: { audited: null, inherited: false, restricts: null },
  disabledAt: {
    audited: ({ disabledAt }) => auditedInstant(disabledAt),
    inherited: false,
    restricts: (old, now) => old.disabledAt === null && now.disabledAt !== null,
  },
  revokedAt: {
    audited: ({ revokedAt }) => auditedInstant(revokedAt),
    inherited: false,
    restricts: (old, now) => old.revokedAt === null && now.revokedAt !== null,
  },
  rotatedTo: { audited: ({ rotatedTo }) => rotatedTo, inherited: false, restricts: null },
  rotatedFrom: { audited: ({ rotatedFrom }) => rotatedFrom, inherited: false, restricts: null },
  metadata: {
    given: ({ metadata }) => checkedMetadata(metadata),
    audited: ({ metadata }) => metadata,
    inherited: true,
    restricts: null,
  },
  externalId: {
    given: ({ externalId }) => externalId,
    audited: ({ externalId }) => externalId || null,
    inherited: true,
    restricts: null,
  },
  // The successor has it from the first key of the chain.
  budgetId: { audited: null, inherited: false, restricts: null },
  allowedIps: {
    given: ({ allowedIps }) => checkedIps(allowedIps),
    audited: ({ allowedIps }) => auditedList(allowedIps),
    inherited: true,
    ruled: true,
    restricts: (old, now) => narrowsList(old.allowedIps, now.allowedIps),
  },
  allowedOrigins: {
    given: ({ allowedOrigins }, { current }) => checkedOrigins(allowedOrigins, current.type),
    audited: ({ allowedOrigins }) => auditedList(allowedOrigins),
    inherited: true,
    restricts: (old, now) => narrowsList(old.allowedOrigins, now.allowedOrigins),
  },
  allowBrowser: {
    given: ({ allowBrowser }, { current }) => checkedBrowser(allowBrowser, current.type),
    audited: ({ type, allowBrowser }) => (type === "secret" && allowBrowser ? true : null),
    inherited: true,
    restricts: (old, now) => old.allowBrowser && !now.allowBrowser,
  },
} as const satisfies KeyFields;

/** The members whose entry says so. */
type MembersOf<Fact> = {
  [Member in keyof KeyRecord]: (typeof KEY_FIELDS)[Member] extends Fact ? Member : never;
}[keyof KeyRecord];

export type InheritedMember = MembersOf<{ readonly inherited: true }>;
export type RuledMember = MembersOf<{ readonly ruled: true }>;
/** What a key may do: the members by which a change can take rights away. */
export type KeyRights = Pick<KeyRecord, MembersOf<{ readonly restricts: (old: KeyRecord, now: KeyRecord) => boolean }>>;

export const KEY_MEMBERS = Object.keys(KEY_FIELDS) as readonly (keyof KeyRecord)[];

const FIELDS: Readonly<Record<keyof KeyRecord, KeyField>> = KEY_FIELDS;
const GIVEN: { readonly [Member in GivenMember]: GivenField<Member> } = KEY_FIELDS;

export const GIVEN_MEMBERS = KEY_MEMBERS.filter((member): member is GivenMember => "given" in FIELDS[member]);
const INHERITED_MEMBERS = KEY_MEMBERS.filter((member): member is InheritedMember => FIELDS[member].inherited);
export const RULED_MEMBERS = KEY_MEMBERS.filter((member): member is RuledMember => FIELDS[member].ruled === true);

const RESTRICTING_MEMBERS = KEY_MEMBERS.filter(
  (member): member is keyof KeyRights => FIELDS[member].restricts !== null,
);

export function rightsOf(key: KeyRecord): KeyRights {
  return membersOf(RESTRICTING_MEMBERS, (member) => key[member]);
}

/** Those of the promised rights that are narrower than the key's own. */
export function narrowerRights(key: KeyRecord, promised: KeyRights): Partial<KeyRights> {
  const now: KeyRecord = { ...key, ...promised };
  const narrower = RESTRICTING_MEMBERS.filter((member) => FIELDS[member].restricts?.(key, now) === true);
  return membersOf(narrower, (member) => now[member]);
}

/** These members as a request gives them, checked in their order. */
export function givenMembers<Member extends GivenMember>(
  members: readonly Member[],
  values: KeyValues,
  ctx: GivenContext,
): Pick<KeyRecord, Member> {
  return membersOf(members, (member) => GIVEN[member].given(values, ctx));
}

/** What a rotation hands on. */
export function inheritedMembers(key: KeyRecord): Pick<KeyRecord, InheritedMember> {
  return membersOf(INHERITED_MEMBERS, (member) => key[member]);
}

function membersOf<Member extends keyof KeyRecord>(
  members: readonly Member[],
  value: (member: Member) => KeyRecord[Member],
): Pick<KeyRecord, Member> {
  return Object.fromEntries(members.map((member) => [member, value(member)])) as Pick<KeyRecord, Member>;
}

/** All that the audit trail has of a record, by its names. */
export const AUDITED_FIELDS = KEY_MEMBERS.flatMap((member) => {
  const { name, audited } = FIELDS[member];
  return audited === null ? [] : [{ name: name ?? snakeCase(member), audited }];
});
