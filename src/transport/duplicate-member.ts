/** The tokens of a JSON text that tell its structure: strings, and what opens, closes and separates. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * The name of the first member that one object of a valid JSON text has twice, if any.
 *
 * `JSON.parse` keeps the last of them and other parsers the first: what one of them checked, another may not have seen.
 */
export function duplicateMember(json: string): string | undefined {
  // Nothing is twice where there is one: most bodies are as short as that.
  if (json.indexOf(":") === json.lastIndexOf(":")) return undefined;
  const open: Set<string>[] = [];
  let last = "";
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (token !== ":") last = token;
    else {
      const name = String(JSON.parse(last));
      const members = open.at(-1);
      if (members?.has(name) === true) return name;
      members?.add(name);
    }
  }
  return undefined;
}
