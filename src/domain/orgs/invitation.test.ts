// promise: invitations.maker
import { expect, test } from "vitest";
import {
  drawInvitationToken,
  expiryOfInvitation,
  type FoundInvitation,
  hashInvitationToken,
  type InvitationStatus,
  invitationStatus,
} from "./invitation.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const BEFORE = new Date(NOW.getTime() - 1);

const MAKER = { issuer: "https://login.example", userId: "anna", role: "admin" };
const PENDING: FoundInvitation = {
  ...{ invitationId: "ivt_1", email: "ben@example.com", role: "developer" },
  ...{ createdAt: BEFORE, expiresAt: new Date(NOW.getTime() + 1), acceptedAt: null, revokedAt: null, endedAt: null },
  ...{ maker: MAKER, makerState: { kind: "member", role: "admin" } },
};

/** Of an invitation with these changes, where admins may give every role and others none. */
function statusWith(changes: Partial<FoundInvitation>): InvitationStatus {
  return invitationStatus({ ...PENDING, ...changes }, NOW, (role, given) => role === "admin" && given === "developer");
}

test("an invitation is accepted, revoked, expired or ended, in this order, or pending", () => {
  expect(statusWith({})).toBe("pending");
  expect(statusWith({ endedAt: BEFORE })).toBe("ended");
  expect(statusWith({ endedAt: BEFORE, expiresAt: NOW })).toBe("expired");
  expect(statusWith({ endedAt: BEFORE, expiresAt: NOW, revokedAt: BEFORE })).toBe("revoked");
  expect(statusWith({ endedAt: BEFORE, acceptedAt: BEFORE, revokedAt: BEFORE, expiresAt: NOW })).toBe("accepted");
});

test("an invitation ends with its maker's membership, and where their role no longer grants its role", () => {
  expect(statusWith({ makerState: { kind: "removed" } })).toBe("ended");
  expect(statusWith({ makerState: { kind: "member", role: "viewer" } })).toBe("ended");
  expect(statusWith({ makerState: { kind: "stranger" } })).toBe("ended");
  expect(statusWith({ maker: null })).toBe("ended");
});

test("an invitation of a maker whose token had the roles ends only with their removal", () => {
  const maker = { ...MAKER, role: null };
  expect(statusWith({ maker, makerState: { kind: "stranger" } })).toBe("pending");
  expect(statusWith({ maker, makerState: { kind: "member", role: "viewer" } })).toBe("pending");
  expect(statusWith({ maker, makerState: { kind: "removed" } })).toBe("ended");
});

test("an invitation lives for 7 days", () => {
  expect(expiryOfInvitation(NOW)).toEqual(new Date("2026-03-08T12:00:00Z"));
});

test("tokens are long, unlike each other, and found by a hash", () => {
  const tokens = Array.from({ length: 100 }, drawInvitationToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) expect(token).toMatch(/^inv_[\w-]{43}$/);
  expect(hashInvitationToken("inv_x")).toHaveLength(32);
  expect(hashInvitationToken("inv_x")).not.toEqual(hashInvitationToken("inv_y"));
});
