/** Hosts of this machine, as `URL` writes them. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Where Latchkey is, without a slash at the end. Throws a `TypeError` for what no call could be made to, which would look like
 * an outage, and for a connection that anyone on the way could read. The message does not repeat the value, which may hold a
 * password. `name` is that of the option.
 */
export function checkedBaseUrl(baseUrl: string, insecureHttp: boolean | undefined, name = "baseUrl"): string {
  if (insecureHttp !== undefined && typeof insecureHttp !== "boolean")
    throw new TypeError("insecureHttp must be true or false");
  const url = typeof baseUrl === "string" ? parsed(baseUrl.trim()) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new TypeError(`${name} must be a URL that begins with https://, such as https://api.example.com`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError(
      `${name} must be without user name, password, query and fragment, such as https://api.example.com`,
    );
  }
  let base = url.href;
  while (base.endsWith("/")) base = base.slice(0, -1);
  if (base.endsWith("/api/v1")) throw new TypeError(`${name} must be without /api/v1, such as https://api.example.com`);
  if (isCleartext(url) && insecureHttp !== true) {
    throw new TypeError(
      `${name} must begin with https://, since credentials would be sent in the clear; in a private network give insecureHttp: true`,
    );
  }
  return base;
}

/** Whether what is sent to it could be read on the way. */
export function isCleartext(url: URL): boolean {
  return url.protocol === "http:" && !LOOPBACK.test(url.hostname);
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
