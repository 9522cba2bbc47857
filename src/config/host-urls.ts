/** The scheme with user and password, the hosts, and the rest. */
const LIST = /^(?<before>\w+:\/\/(?:[^@/?#]*@)?)(?<hosts>[^/?#]*)(?<after>.*)$/s;
/** Of libpq. The service only ever uses a server that takes writes. */
const SESSION_ATTRIBUTES = "target_session_attrs";

/**
 * Returns one URL for each host of a database URL, `postgres://user@a:5432,b:5432/database`, in its order. A list is split before
 * anything parses it: no parser of URLs knows lists, and each host is to have the credentials, the parameters and its own name for TLS.
 */
export function hostUrls(url: string): readonly string[] {
  const { before = "", hosts = "", after = "" } = LIST.exec(url)?.groups ?? {};
  const rest = withoutSessionAttributes(after);
  return hosts.split(",").map((host) => `${before}${host}${rest}`);
}

/** The value of `target_session_attrs`. Undefined: it is not set. */
export function sessionAttributesOf(url: string): string | undefined {
  const [, query = ""] = /\?([^#]*)/.exec(url) ?? [];
  return new URLSearchParams(query).get(SESSION_ATTRIBUTES) ?? undefined;
}

/** Puts the hosts of a list in place of the one host of a URL. */
export function withHostsOf(url: string, list: string): string {
  const { before = "", after = "" } = LIST.exec(url)?.groups ?? {};
  return `${before}${LIST.exec(list)?.groups?.hosts}${after}`;
}

function withoutSessionAttributes(after: string): string {
  return after.replace(new RegExp(`([?&])${SESSION_ATTRIBUTES}=[^&#]*(&?)`), (_, first: string, next: string) =>
    next === "" ? "" : first,
  );
}
