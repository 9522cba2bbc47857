import type { NewMessage } from "../../src/domain/conversations/conversation.ts";
import type { KeyRecord } from "../../src/domain/credentials/key.ts";
import { hashSecret } from "../../src/domain/credentials/secret.ts";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { KeyDetails } from "../../src/domain/keys/key-details.ts";
import { UNLIMITED } from "../../src/domain/limits/caps.ts";
import type { Invitation } from "../../src/domain/orgs/invitation.ts";
import type { KeyUses } from "../../src/domain/usage/uses.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { ACT } from "../harness/act.ts";

/** The current time of the tests. */
export const NOW = new Date("2026-03-01T12:00:00.123Z");

const HOUR_MS = 3_600_000;

export function later(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}

/** A new key with a tenant of its own, as CreateApiKey would store it, with the given fields. */
export function newKey(overrides: Partial<KeyRecord> = {}): NewKey {
  const keyId = newId("key");
  const record: KeyRecord = {
    keyId,
    tenantId: newId("ten"),
    type: "secret",
    secretPrefix: "sk_abcdefghi",
    name: "a key",
    description: "",
    permissions: ["users:read"],
    rateLimit: UNLIMITED,
    oidc: null,
    expiresAt: null,
    createdAt: NOW,
    updatedAt: NOW,
    disabledAt: null,
    revokedAt: null,
    rotatedTo: null,
    rotatedFrom: null,
    metadata: null,
    externalId: "",
    budgetId: null,
    allowedIps: [],
    allowedOrigins: [],
    allowBrowser: true,
    ...overrides,
  };
  return { record, secretHash: hashSecret(record.keyId) };
}

/** How a new key is read back. */
export function unused({ record }: NewKey): KeyDetails {
  return { ...record, lastUsedAt: null, createdBy: ACT.actor, revokedBy: null, leak: null };
}

/** Uses of a key at one instant: so many that were successful, and so many that its limit denied. */
export function usesAt(at: Date, counts: { readonly successful?: number; readonly failed?: number }): KeyUses {
  const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
  const { successful = 0, failed = 0 } = counts;
  return {
    hours: [
      ...(successful > 0 ? [{ hour, failure: null, count: successful }] : []),
      ...(failed > 0 ? [{ hour, failure: "rate_limited" as const, count: failed }] : []),
    ],
    lastUsedAt: at,
  };
}

/** A new invitation, which can be accepted for 7 days. */
export function newInvitation(overrides: Partial<Invitation> = {}): Invitation {
  return {
    invitationId: newId("ivt"),
    email: "ben@example.com",
    role: "developer",
    createdAt: NOW,
    expiresAt: later(7 * 86_400_000),
    acceptedAt: null,
    revokedAt: null,
    endedAt: null,
    maker: null,
    ...overrides,
  };
}

/** A new message in a new conversation, with the given fields. */
export function newMessage(overrides: Partial<NewMessage> = {}): NewMessage {
  return {
    tenantId: newId("ten"),
    userId: null,
    conversationKey: "support",
    threadId: newId("thr"),
    messageId: newId("msg"),
    runId: newId("run"),
    clientMessageId: null,
    parts: ["hello"],
    ...overrides,
  };
}
