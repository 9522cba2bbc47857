/** Maximum number of characters of a URL where a key was found. */
export const LEAK_URL_CHARS_MAX = 2_048;

/** Dashboards show the URL as a link, so it must be one of the web. Undefined: nothing is wrong with it. */
export function leakUrlProblem(url: string): string | undefined {
  const parsed = /^[\x21-\x7e]+$/.test(url) ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return "must be an http or https URL, in ASCII";
  if (parsed.username + parsed.password !== "") return "must have no user name and no password";
  return undefined;
}
