import type { NewMessage } from "../../src/domain/conversations/conversation.ts";
import type { KeyRecord } from "../../src/domain/credentials/key.ts";
import { hashSecret } from "../../src/domain/credentials/secret.ts";
import type { NewKey } from "../../src/domain/keys/key-change.ts";
import type { KeyDetails } from "../../src/domain/keys/key-details.ts";
import { GIVEN_MEMBERS, type GivenMember, type KeyValues } from "../../src/domain/keys/key-fields.ts";
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

/** A key that has a value other than the default in each member that can have one, with the given fields. */
export function fullKey(overrides: Partial<KeyRecord> = {}): NewKey {
  const set: Omit<KeyRecord, "keyId" | "secretPrefix" | "createdAt" | "updatedAt"> = {
    tenantId: `\ufeff${newId("ten")}`,
    type: "publishable",
    name: `\ufeffquotes " ' { } , \\ \t and 😀`,
    description: "\ufeff\ufeffline\nbreak",
    permissions: ["users:*", "", 'a"b', "{x,y}"],
    rateLimit: {
      requestsPerMinute: 2_147_483_647,
      requestsPerHour: 1,
      burstSize: 0,
      perUser: { requestsPerMinute: 0, requestsPerHour: 2_147_483_647, burstSize: 2 },
    },
    oidc: {
      issuer: "https://issuer.example",
      jwksUrl: "https://issuer.example/jwks",
      audience: "app",
      userIdClaim: "sub",
      requiredClaims: { "org.id": "1", __proto__x: "y" },
    },
    expiresAt: new Date("9998-12-31T23:59:59.999Z"),
    disabledAt: later(2),
    revokedAt: later(3),
    rotatedTo: newId("key"),
    rotatedFrom: newId("key"),
    metadata: { __proto__x: [1.5, 1e300, { "": "\ufeff😀" }], b: null, a: [] },
    externalId: "\ufeff 7",
    budgetId: newId("key"),
    allowedIps: ["2001:db8::/32", "203.0.113.7"],
    allowedOrigins: ["https://app.example:8443", "capacitor://localhost"],
    allowBrowser: false,
    ...overrides,
  };
  return newKey(set);
}

/** The members of a key that a request can give. */
export function givenMembers(key: KeyRecord): Pick<KeyRecord, GivenMember> {
  return Object.fromEntries(GIVEN_MEMBERS.map((member) => [member, key[member]])) as Pick<KeyRecord, GivenMember>;
}

/** What a request says of a key that has only a name and a permission, with the given values. */
export function keyValues(overrides: Partial<KeyValues> = {}): KeyValues {
  return {
    name: "a key",
    description: "",
    permissions: ["users:read"],
    rateLimit: null,
    expiresAt: null,
    metadata: null,
    externalId: "",
    allowedIps: [],
    allowedOrigins: [],
    allowBrowser: null,
    ...overrides,
  };
}

/** How a new key is read back. */
export function unused({ record }: NewKey): KeyDetails {
  return { ...record, lastUsedAt: null, createdBy: ACT.actor, revokedBy: null, leak: null, imported: null };
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
