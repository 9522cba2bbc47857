import { codeFromString } from "@connectrpc/connect/protocol-connect";

/** The end of each error about a response that is not from Latchkey. */
export const ADVICE = "is baseUrl that of a Latchkey service?";

/** Statuses that a proxy in front of Latchkey returns on its own, while the service is unavailable or the caller too fast. */
export const PROXY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether a value is the `code` of an error of Latchkey's. Other APIs have codes of their own, such as `NOT_FOUND`. */
export function isErrorCode(value: unknown): boolean {
  return typeof value === "string" && codeFromString(value) !== undefined;
}

/** Where no server answered, and the code of why, such as ` (ECONNREFUSED)`. Not the library's message, which may repeat what was to be sent. */
export function unreached(url: URL, err: unknown): string {
  return `Latchkey could not be reached at ${url.host}${codeOf(err)}`;
}

function codeOf(err: unknown): string {
  for (const fault of [err, err instanceof Error ? err.cause : undefined]) {
    const code = fault instanceof Error && "code" in fault ? fault.code : undefined;
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) return ` (${code})`;
  }
  return "";
}
