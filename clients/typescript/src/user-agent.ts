/** That of package.json, which a browser's bundle does not have. A test compares them. */
const CLIENT_VERSION = "0.1.0";

declare const process: { readonly versions?: { readonly node?: string } } | undefined;

/**
 * The client's `User-Agent`, which shows a service's operator the versions in use. Undefined in browsers: some do not let a page
 * set it, and others need a CORS permission that services do not give.
 */
export function userAgent(): string | undefined {
  // Node, Bun, Deno and workers with Node's modules have it. Electron's pages do, too, and are pages.
  const isServer =
    typeof process !== "undefined" && process.versions?.node !== undefined && !("document" in globalThis);
  return isServer ? `latchkey-typescript/${CLIENT_VERSION}` : undefined;
}
