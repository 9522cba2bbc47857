import { hash, randomBytes } from "node:crypto";
import type { UserKey } from "../tokens/user-key.ts";

const LIFE_MS = 7 * 86_400_000;
const TOKEN_BYTES = 32;

/** An offer to become a member. Of its token only a hash is kept. */
export interface Invitation {
  readonly invitationId: string;
  /** With A to Z in lower case. */
  readonly email: string;
  readonly role: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly acceptedAt: Date | null;
  readonly revokedAt: Date | null;
  /** When its maker's membership ended while it was pending. */
  readonly endedAt: Date | null;
  /** Null: they were erased. */
  readonly maker: InvitationMaker | null;
}

export interface InvitationMaker extends UserKey {
  /** Their role as a member, where it granted the invitation's as they made it. Null: only the roles in their token did. */
  readonly role: string | null;
}

/** The maker of an invitation as of now: a member with this role, a removed member, or a user who has never been one. */
export type MakerState =
  | { readonly kind: "member"; readonly role: string }
  | { readonly kind: "removed" }
  | { readonly kind: "stranger" };

/** An invitation, and what has become of its maker. */
export interface FoundInvitation extends Invitation {
  readonly makerState: MakerState;
}

export type InvitationStatus = "pending" | "accepted" | "revoked" | "expired" | "ended";

/** Whether members with a role may give another one. */
export type RoleGrants = (role: string, given: string) => boolean;

/** The first of these that holds: accepted, revoked, expired, ended. */
export function invitationStatus(invitation: FoundInvitation, now: Date, grants: RoleGrants): InvitationStatus {
  const { acceptedAt, revokedAt, expiresAt } = invitation;
  if (acceptedAt !== null) return "accepted";
  if (revokedAt !== null) return "revoked";
  if (expiresAt.getTime() <= now.getTime()) return "expired";
  return isBacked(invitation, grants) ? "pending" : "ended";
}

/** Whether its maker may still invite to its role: what they could no longer do, their invitations must not do either. */
function isBacked({ endedAt, maker, makerState, role }: FoundInvitation, grants: RoleGrants): boolean {
  if (endedAt !== null || maker === null || makerState.kind === "removed") return false;
  // The roles in a token are known only at the request.
  if (maker.role === null) return true;
  return makerState.kind === "member" && grants(makerState.role, role);
}

export function expiryOfInvitation(now: Date): Date {
  return new Date(now.getTime() + LIFE_MS);
}

/** Draws the token of an invitation: 256 random bits, so that its hash needs no salt. */
export function drawInvitationToken(): string {
  return `inv_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
}

/** SHA-256, 32 bytes. */
export function hashInvitationToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
