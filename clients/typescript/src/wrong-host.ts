import { codeFromString } from "@connectrpc/connect/protocol-connect";

/** The end of each error about an answer that is none of Latchkey's. */
export const ADVICE = "is baseUrl that of a Latchkey service?";

/** What a proxy in front of Latchkey answers of itself, while the service is away or the caller too quick. */
export const PROXY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether a value is the `code` of an error of Latchkey's. Other APIs have codes of their own, such as `NOT_FOUND`. */
export function isErrorCode(value: unknown): boolean {
  return typeof value === "string" && codeFromString(value) !== undefined;
}
