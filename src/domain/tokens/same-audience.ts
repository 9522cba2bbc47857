const ROOT = /^(https?:\/\/[^\s/?#]+)\/$/i;

/**
 * Whether two audiences name one resource. A URL without a path is the one with the path "/" (RFC 3986, 6.2.3): libraries add the
 * slash when they parse a resource, as the MCP SDK does. All else is compared exactly.
 */
export function isSameAudience(one: string, other: string): boolean {
  return one === other || one.replace(ROOT, "$1") === other.replace(ROOT, "$1");
}
