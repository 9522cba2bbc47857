import { randomFillSync } from "node:crypto";

/** Kinds of identifier. The kind is the prefix, so that a log line or a support ticket explains itself. */
export type IdPrefix =
  | ("key" | "org" | "ten" | "thr" | "msg" | "run" | "req" | "ivt" | "aud")
  | ("whk" | "whd" | "evt" | "tok" | "fed");

const ID_BYTES = 16;
/** Random bytes for the next identifiers. Drawing them one by one costs several times as much. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

/** A new identifier, such as `key_1f0c…`: 128 random bits, so that no identifier can be guessed from another. */
export function newId(prefix: IdPrefix): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return `${prefix}_${pool.toString("hex", used - ID_BYTES, used)}`;
}
