/**
 * The tokens of a JSON text that give its structure: strings, brackets, braces and colons. A string that nothing closes goes to
 * the end: otherwise each quote of a text that is not JSON would begin a search for another one.
 */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|[{}[\]:]/g;
/** The same with commas, which count the elements of an array. */
const TOKEN_OR_COMMA = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|[{}[\]:,]/g;

/** The path to a member: names of members, and indexes in arrays from 0. */
export type MemberPath = readonly (string | number)[];

/**
 * The path of the first duplicate member in an object of a valid JSON text, if any.
 *
 * `JSON.parse` keeps the last duplicate and other parsers the first, so that one component could check a value and another
 * use a different one.
 */
export function duplicateMember(json: string): MemberPath | undefined {
  // A text with one member has no duplicate. Most bodies are as short as that.
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

/** The path of the member whose colon is at `end`. A second pass, so that valid bodies do not pay for paths. */
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
