import { expect, test } from "vitest";
import { drawInvitationToken, expiryOfInvitation, hashInvitationToken, invitationStatus } from "./invitation.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const BEFORE = new Date(NOW.getTime() - 1);

test("an invitation is accepted, revoked or expired, in this order, or pending", () => {
  const pending = { acceptedAt: null, revokedAt: null, expiresAt: new Date(NOW.getTime() + 1) };
  expect(invitationStatus(pending, NOW)).toBe("pending");
  expect(invitationStatus({ ...pending, expiresAt: NOW }, NOW)).toBe("expired");
  expect(invitationStatus({ ...pending, expiresAt: NOW, revokedAt: BEFORE }, NOW)).toBe("revoked");
  expect(invitationStatus({ acceptedAt: BEFORE, revokedAt: BEFORE, expiresAt: NOW }, NOW)).toBe("accepted");
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
