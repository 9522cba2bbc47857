import type { Message } from "@bufbuild/protobuf";
import { LRUCache } from "lru-cache";

/** Longest body that is remembered: room for a question about a scope, but hardly for an id and a text of a user. */
const BYTES_MAX = 64;
const MESSAGES_MAX = 1_000;

/**
 * Remembers what short bodies mean. Callers ask the same few questions again and again, and to check, parse and validate
 * one costs more than to judge its caller.
 *
 * `read` must tell the same of the same bytes; what it throws is not remembered. A remembered message is given to many
 * requests, so it is frozen.
 */
export function cacheMessages(read: (body: Uint8Array) => Message): (body: Uint8Array) => Message {
  const messages = new LRUCache<string, Message>({ max: MESSAGES_MAX });
  return (body) => {
    if (body.byteLength > BYTES_MAX) return read(body);
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
    const known = messages.get(text);
    if (known !== undefined) return known;
    const message = deepFrozen(read(body));
    messages.set(text, message);
    return message;
  };
}

function deepFrozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === "object" && part !== null && !ArrayBuffer.isView(part)) deepFrozen(part);
  }
  return Object.freeze(value);
}
