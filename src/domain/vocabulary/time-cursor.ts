import { foreignToken } from "./page.ts";

/** The place of an item in a list that is ordered by time. */
export interface TimeCursor {
  readonly atMs: number;
  /** The order of items of one millisecond. */
  readonly seq: number;
}

/** A date far beyond those that can be stored would fail in the database. */
const INSTANT_MS_MAX = 253_402_300_799_999;
const TOKEN = /^(\d{1,15})\.(\d{1,15})$/;

/** The token of the next page, empty on the last one. It is not a secret: all it can do is to skip items that its caller may read. */
export function tokenOf(next: TimeCursor | undefined): string {
  return next === undefined ? "" : Buffer.from(`${next.atMs}.${next.seq}`).toString("base64url");
}

/** The cursor of a token that a caller sends as `page_token`. */
export function cursorIn(token: string): TimeCursor {
  const [, atMs = "", seq = ""] = TOKEN.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (seq === "" || Number(atMs) > INSTANT_MS_MAX) {
    throw foreignToken();
  }
  return { atMs: Number(atMs), seq: Number(seq) };
}
