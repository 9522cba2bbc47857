import type { UserKey } from "../tokens/user-key.ts";

/** A customer of the platform. It owns one tenant. */
export interface Organization extends NewOrganization {
  readonly createdAt: Date;
}

/** An organization to store. The storage sets `createdAt`. */
export interface NewOrganization {
  readonly orgId: string;
  readonly tenantId: string;
  readonly name: string;
}

/** The one role that every organization must keep: at least one member has it. */
export const OWNER = "owner";

/** A user who belongs to an organization. */
export interface Member extends UserKey {
  readonly role: string;
  /** Verified by their identity provider as they became a member; empty if it named none. A to Z are in lower case. */
  readonly email: string;
  readonly createdAt: Date;
}

/** An organization of a user. */
export interface Membership extends NewOrganization {
  readonly role: string;
  /** Whether the user's next token has its tenant. */
  readonly isCurrent: boolean;
}

/** A membership as it is stored. */
export interface MembershipRecord extends NewOrganization {
  readonly issuer: string;
  readonly role: string;
  /** When the user made it their current one, in ms. Null: they did not. */
  readonly currentAtMs: number | null;
  /** Whether the user was removed: a token from before may still name the tenant. */
  readonly isRemoved: boolean;
}

/** All memberships of users of one id. */
export interface MembershipRecords {
  readonly memberships: readonly MembershipRecord[];
}
