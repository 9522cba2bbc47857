import { hash, randomBytes } from "node:crypto";

const LIFE_MS = 7 * 86_400_000;
const TOKEN_BYTES = 32;

/** An offer to become a member. Of its token only a hash is kept. */
export interface Invitation {
  readonly invitationId: string;
  /** In lower case. */
  readonly email: string;
  readonly role: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly acceptedAt: Date | null;
  readonly revokedAt: Date | null;
}

export type InvitationStatus = "pending" | "accepted" | "revoked" | "expired";

/** The first of these that holds: accepted, revoked, expired. */
export function invitationStatus(
  { acceptedAt, revokedAt, expiresAt }: Pick<Invitation, "acceptedAt" | "revokedAt" | "expiresAt">,
  now: Date,
): InvitationStatus {
  if (acceptedAt !== null) return "accepted";
  if (revokedAt !== null) return "revoked";
  return expiresAt.getTime() <= now.getTime() ? "expired" : "pending";
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
