import { type Address, parseAddress } from "../../domain/addresses/address.ts";

/** A node, as both headers name one: an address, IPv6 perhaps in brackets, perhaps with a port. */
const NODE = /^(?:\[([^\]]*)\]|([^:]*))(?::(?:\d{1,5}|_[\w.-]+))?$/;
/** One pair of an element of `Forwarded` (RFC 7239, 4). Some proxies write an address with colons without quotes. */
const PAIR = /[ \t]*(?:([^\s"=;]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]*)))?[ \t]*(?:;|$)/y;
/** Maximum number of elements of one request that are read, so that a long header costs no more. */
const ELEMENTS_MAX = 32;

/**
 * The elements of a list header from the last to the first, without empty ones, `ELEMENTS_MAX` at most. `lines` are its
 * values in the order of the request, which mean the same as one value.
 *
 * A proxy appends its element on the right. Read from there, nothing that stands to its left changes it: read from the left,
 * a quote that a client opens and does not close would swallow the comma and what the proxy wrote.
 */
export function* elementsFromRight(lines: readonly string[]): Generator<string> {
  let elements = 0;
  for (const line of lines.toReversed()) {
    for (let end = line.length; end >= 0; ) {
      if (elements++ === ELEMENTS_MAX) return;
      const comma = lastComma(line, end);
      const element = line.slice(comma + 1, end).trim();
      if (element !== "") yield element;
      end = comma;
    }
  }
}

/** The last comma before `end` that is not in quotes; -1: there is none. */
function lastComma(line: string, end: number): number {
  let isQuoted = false;
  for (let at = end - 1; at >= 0; at--) {
    const char = line[at];
    if (char === "," && !isQuoted) return at;
    if (char !== '"') continue;
    let backslashes = 0;
    while (line[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) isQuoted = !isQuoted;
    at -= backslashes;
  }
  return -1;
}

/** The address that an element of `X-Forwarded-For` names. Undefined: none, such as `unknown`. */
export function addressOfNode(node: string): Address | undefined {
  const [, inBrackets, beforePort] = NODE.exec(node) ?? [];
  if (inBrackets !== undefined && !inBrackets.includes(":")) return undefined;
  // Without brackets an IPv6 address has no port: it does not match, and is read as it is.
  return parseAddress(inBrackets ?? beforePort ?? node);
}

/** The address that `for` of an element of `Forwarded` names. Undefined: none, `for=_hidden`, or not what RFC 7239 allows. */
export function addressOfElement(element: string): Address | undefined {
  let node: string | undefined;
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < element.length) {
    const pair = PAIR.exec(element);
    if (pair === null) return undefined;
    const [, name = "", quoted, plain] = pair;
    if (name.toLowerCase() !== "for") continue;
    // No name may occur twice in an element.
    if (node !== undefined) return undefined;
    node = quoted?.replace(/\\(.)/g, "$1") ?? plain;
  }
  return node === undefined ? undefined : addressOfNode(node);
}
