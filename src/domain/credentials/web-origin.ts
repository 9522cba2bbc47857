/** Browsers send these in lower case, also the schemes of apps around a page (`capacitor://localhost`). */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
const NOT_AN_ORIGIN =
  "must be an origin as browsers send it: scheme://host or scheme://host:port, such as https://app.example.com";

/** Why a text is not an origin that a browser would send. Undefined: it is one. Compared text with text (RFC 6454, 6.2). */
export function originProblem(text: string): string | undefined {
  if (text.includes("*"))
    return "must have no wildcard: list each origin, or leave the list empty to allow all of them";
  if (text === "null") return "must not be null, which any page can send";
  if (!URL.canParse(text)) return NOT_AN_ORIGIN;
  const { origin } = new URL(text);
  // Of other schemes than those of the web, `URL` knows no origin.
  if (origin === "null") return ORIGIN.test(text) ? undefined : NOT_AN_ORIGIN;
  if (origin === text) return undefined;
  return `${NOT_AN_ORIGIN}; this one is sent as ${origin}`;
}
