import type { Incoming } from "./exchange.ts";

const NAME = "content-type";
/** Parameters that change nothing. The empty one stands for a `;` with nothing after it. */
const UTF_8 = new Set(["", "charset=utf-8", 'charset="utf-8"']);

/** The content type. Empty if it was sent twice, because another reader (such as a proxy) may use the other one. */
export function contentTypeOf({ rawHeaders }: Pick<Incoming, "rawHeaders">): string {
  let found: string | undefined;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    // The length rules out most names cheaply.
    if (name.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (found !== undefined) return "";
    found = rawHeaders[i + 1];
  }
  return found ?? "";
}

/**
 * Converts a content type to the form that Connect accepts: RFC 9110, 8.3.1 allows white space between parameters and quoted
 * values. Only JSON in UTF-8 is converted; any other type is returned unchanged.
 */
export function canonicalMediaType(contentType: string): string {
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const isJson = type === "application/json" && parameters.every((parameter) => UTF_8.has(parameter));
  return isJson ? type : contentType;
}
