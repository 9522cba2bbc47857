/**
 * The `redirect` of every request. `"error"` would say what is meant, but Cloudflare's workerd refuses it; `"manual"` sends
 * nothing on in any runtime.
 */
export const REDIRECT = "manual";

/**
 * A redirect in words; undefined for every other answer.
 *
 * Browsers hide the status of a redirect that they did not follow, servers' runtimes show it. One that was followed comes
 * of a `fetch` of the caller's own that overlooks `redirect`.
 */
export function redirectOf(response: Response, url: string): string | undefined {
  if (response.redirected) return "a redirect that the given fetch followed";
  if (response.type === "opaqueredirect") return "a redirect";
  if (response.status < 300 || response.status >= 400) return undefined;
  return `a redirect (${response.status}${originOf(response.headers.get("Location"), url)})`;
}

/** Such as ` to https://api.example.com`. Without the path, where a login page's ticket may stand. */
function originOf(location: string | null, url: string): string {
  try {
    return location === null ? "" : ` to ${new URL(location, url).origin}`;
  } catch {
    return "";
  }
}
