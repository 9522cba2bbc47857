import type { NewMessage } from "../../src/domain/conversations/conversation.ts";
import { newId } from "../../src/domain/ids.ts";
import { type KeyRecord, type NewKey, UNLIMITED } from "../../src/domain/keys/key.ts";
import { hashSecret } from "../../src/domain/keys/secret.ts";

/** When the tests take place. */
export const NOW = new Date("2026-03-01T12:00:00.123Z");

export function later(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}

/** A key of its own, as creation makes them, with what a test is about put in. */
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
    ...overrides,
  };
  return { record, secretHash: hashSecret(record.keyId) };
}

/** A message in a conversation of its own. */
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
