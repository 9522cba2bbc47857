import type { Incoming } from "./exchange.ts";

const NAME = "content-type";
/** Parameters that change nothing. The empty one comes of a `;` with nothing after it. */
const UTF_8 = new Set(["", "charset=utf-8", 'charset="utf-8"']);

/** The content type; empty if it was sent twice, since another reader may go by the other one. */
export function contentTypeOf({ rawHeaders }: Pick<Incoming, "rawHeaders">): string {
  let found: string | undefined;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    // Most names are told apart by their length.
    if (name.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (found !== undefined) return "";
    found = rawHeaders[i + 1];
  }
  return found ?? "";
}

/**
 * A content type as Connect knows it: parameters are separated by optional white space, and a value may stand in quotes
 * (RFC 9110, 8.3.1). Any type but JSON in UTF-8 is answered as it came.
 */
export function canonicalMediaType(contentType: string): string {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const isJson = type === "application/json" && parameters.every((parameter) => UTF_8.has(parameter));
  return isJson ? type : contentType;
}
