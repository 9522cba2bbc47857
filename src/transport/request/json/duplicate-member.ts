/** The tokens of a JSON text that tell its structure: strings, and what opens, closes and separates. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;
/** Those, and what counts the elements of a list. */
const TOKEN_OR_COMMA = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g;

/** The way to a member: names of members, and places in lists from 0. */
export type MemberPath = readonly (string | number)[];

/**
 * The path of the first member that one object of a valid JSON text has twice, if any.
 *
 * `JSON.parse` keeps the last of them and other parsers the first: what one of them checked, another may not have seen.
 */
export function duplicateMember(json: string): MemberPath | undefined {
  // Nothing is twice where there is one: most bodies are as short as that.
  if (json.indexOf(":") === json.lastIndexOf(":")) return undefined;
  const open: Set<string>[] = [];
  let last = "";
  for (const match of json.matchAll(TOKEN)) {
    const [token] = match;
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (token !== ":") last = token;
    else {
      const name = String(JSON.parse(last));
      const members = open.at(-1);
      if (members?.has(name) === true) return pathAt(json, match.index);
      members?.add(name);
    }
  }
  return undefined;
}

/** The path of the member whose colon is at `end`. Read once more, so that bodies without a fault need no path. */
function pathAt(json: string, end: number): MemberPath {
  const path: (string | number)[] = [];
  let last = "";
  for (const [token] of json.slice(0, end + 1).matchAll(TOKEN_OR_COMMA)) {
    const step = path.at(-1);
    if (token === "{") path.push("");
    else if (token === "[") path.push(0);
    else if (token === "}" || token === "]") path.pop();
    else if (token === ":") path[path.length - 1] = String(JSON.parse(last));
    else if (token !== ",") last = token;
    else if (typeof step === "number") path[path.length - 1] = step + 1;
  }
  return path;
}
