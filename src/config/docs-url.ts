import { isSafeUrl, type Reader } from "./reader.ts";

const DOCS_URL = "DOCS_URL";

/** The address before `/docs/errors` in errors, without a slash at its end. Empty: errors name the path, on the port that answers. */
export function readDocsUrl(reader: Reader): string {
  // The only public address of this service that it may know.
  const url = reader.text(DOCS_URL) ?? reader.text("TOKEN_ISSUER");
  if (url === undefined) return "";
  if (!isSafeUrl(url) || /[\s?#]/.test(url)) {
    if (reader.text(DOCS_URL) !== undefined)
      reader.refuse(
        DOCS_URL,
        "must be a public URL of this service: one that begins with https://, unless the host is this machine, without user name, password, query and fragment",
      );
    return "";
  }
  return url.replace(/\/$/, "");
}
