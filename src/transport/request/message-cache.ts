import type { Message } from "@bufbuild/protobuf";
import { LRUCache } from "lru-cache";

/** Longest body that is cached: enough for a check of a scope, but hardly for an id and a user's text. */
const BYTES_MAX = 64;
const MESSAGES_MAX = 1_000;

/**
 * Caches the messages of short bodies. Callers send the same few bodies again and again, and to check, parse and validate
 * one costs more than to authenticate its caller.
 *
 * `read` must return the same message for the same bytes. Errors that it throws are not cached. Many requests share a cached
 * message, so it is frozen.
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
