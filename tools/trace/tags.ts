import { globSync, readFileSync } from "node:fs";

/** The subject of a tag: a promise of docs/promises.md, or a threat of docs/threats.md. */
export type Kind = "promise" | "threat";

/** One id of a comment such as `// promise: limits.exact, keys.shape` in a file of tests. */
export interface Tag {
  readonly kind: Kind;
  readonly id: string;
  readonly path: string;
  /** As the file writes it, with `%s` and `$name`. Undefined for a tag of the whole file. */
  readonly test: string | undefined;
}

const ROOT = new URL("../../", import.meta.url);
const TAG = /^ *\/\/ (promise|threat): (.+)$/;
const COMMENT = /^ *(?:\/\/|\/?\*)/;
const BEGINS_TEST = /^ *(?:test|describe|for|\S+\.each)\b/;
/** A case of a table, whose name is its first element. */
const CASE = /^ *\[\s*"([^"]+)"/;
/** The first argument of a call whose next one is a function, options or a named function. */
const TITLE = /\(\s*(?:"((?:[^"\\]|\\.)+)"|`([^`]+)`),\s*(?:async\b|\(|\{|[\w.]+(?: =>|,|\)))/;

/** All tags, in the order of files and lines. */
export function readTags(): Tag[] {
  const paths = globSync(["src/**/*.{test,suite}.ts", "test/**/*.{test,suite}.ts"], { cwd: ROOT });
  return paths.sort().flatMap((path) => tagsOf(path, readFileSync(new URL(path, ROOT), "utf8")));
}

/** A tag belongs to the test, the group or the case of a table that follows it. Before anything else it belongs to the file. */
export function tagsOf(path: string, text: string): Tag[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    const [, kind, ids] = TAG.exec(line) ?? [];
    if ((kind !== "promise" && kind !== "threat") || ids === undefined) return [];
    const rest = lines.slice(lines.findIndex((next, n) => n > at && !COMMENT.test(next)));
    const test = nameOf(rest.join("\n"));
    return ids.split(", ").map((id) => ({ kind, id, path, test }));
  });
}

function nameOf(code: string): string | undefined {
  const [, title] = CASE.exec(code) ?? [];
  if (title !== undefined) return title;
  if (!BEGINS_TEST.test(code)) return undefined;
  const [, quoted, template] = TITLE.exec(code) ?? [];
  return quoted ?? template;
}
