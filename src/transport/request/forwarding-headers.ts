import { type Address, parseAddress } from "../../domain/addresses/address.ts";

/** A node, as both headers name one: an address, IPv6 perhaps in brackets, perhaps with a port. */
const NODE = /^(?:\[([^\]]*)\]|([^:]*))(?::(?:\d{1,5}|_[\w.-]+))?$/;
/** Ends a name, or a value without quotes. */
const ENDS_NAME = /[\s"=;]/;
const ENDS_VALUE = /[\s";]/;
/** Maximum number of elements of one request that are read, so that a long header costs no more. */
const ELEMENTS_MAX = 32;
/** Maximum number of characters of an element, with the blanks around it. A longer one names no address. */
const ELEMENT_CHARS_MAX = 1_024;

/**
 * The elements of a list header from the last to the first, without empty ones. `lines` are its values in the order of the
 * request, which mean the same as one value. An element is undefined if it is too long or one too many, and then the last.
 *
 * A proxy appends its element on the right. Read from there, nothing that stands to its left changes it: read from the left,
 * a quote that a client opens and does not close would swallow the comma and what the proxy wrote.
 */
export function* elementsFromRight(lines: readonly string[]): Generator<string | undefined> {
  let elements = 0;
  for (const line of lines.toReversed()) {
    for (let end = line.length; end >= 0; ) {
      const comma = lastComma(line, end);
      if (elements++ === ELEMENTS_MAX || comma === undefined) {
        yield undefined;
        return;
      }
      const element = line.slice(comma + 1, end).trim();
      if (element !== "") yield element;
      end = comma;
    }
  }
}

/** The last comma before `end` that is not in quotes; -1: absent; undefined: none within an element's length. */
function lastComma(line: string, end: number): number | undefined {
  let isQuoted = false;
  const start = end - ELEMENT_CHARS_MAX - 1;
  for (let at = end - 1; at >= 0; at--) {
    if (at < start) return undefined;
    const char = line[at];
    if (char === "," && !isQuoted) return at;
    if (char !== '"') continue;
    let backslashes = 0;
    while (line[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) isQuoted = !isQuoted;
    at -= backslashes;
  }
  return end > ELEMENT_CHARS_MAX ? undefined : -1;
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
  for (let at = afterBlanks(element, 0); at < element.length; at = afterBlanks(element, at)) {
    if (element[at] === ";") {
      at++;
      continue;
    }
    const pair = pairAt(element, at);
    if (pair === undefined) return undefined;
    at = afterBlanks(element, pair.end);
    if (at < element.length && element[at] !== ";") return undefined;
    if (pair.name !== "for") continue;
    // No name may occur twice in an element.
    if (node !== undefined) return undefined;
    node = pair.value;
  }
  return node === undefined ? undefined : addressOfNode(node);
}

/** The pair of an element of `Forwarded` (RFC 7239, 4). Some proxies write an address with colons without quotes. */
function pairAt(element: string, start: number): { name: string; value: string; end: number } | undefined {
  let at = start;
  while (at < element.length && !ENDS_NAME.test(element.charAt(at))) at++;
  if (at === start || element[at] !== "=") return undefined;
  const name = element.slice(start, at).toLowerCase();
  const first = ++at;
  if (element[at] === '"') {
    let value = "";
    for (at++; at < element.length && element[at] !== '"'; at++) {
      if (element[at] === "\\") at++;
      value += element.charAt(at);
    }
    return at < element.length ? { name, value, end: at + 1 } : undefined;
  }
  while (at < element.length && !ENDS_VALUE.test(element.charAt(at))) at++;
  return { name, value: element.slice(first, at), end: at };
}

function afterBlanks(element: string, start: number): number {
  let at = start;
  while (element[at] === " " || element[at] === "\t") at++;
  return at;
}
