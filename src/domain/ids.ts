import { randomUUID } from "node:crypto";

/** Kinds of identifier; each carries its kind as a prefix, so that a log line or a support ticket explains itself. */
export type IdPrefix = "key" | "org" | "ten" | "thr" | "msg" | "run" | "req";

/** A new identifier, such as `key_1f0c…`: 122 random bits, so that none can be guessed from another. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}
