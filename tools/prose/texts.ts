/** A comment, a string, a paragraph or a title, without its marks. */
export interface Text {
  /** Where it is in its file: so many lines below the one of `index`. */
  readonly index: number;
  readonly row: number;
  readonly text: string;
}

const COMMENTS_AND_STRINGS =
  /\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;
const OF_PYTHON = /"""(?:[^"]|"(?!""))*"""|#[^\n]*(?:\n[ \t]*#[^\n]*)*|"(?:[^"\\\n]|\\.)*"/g;
const TITLES = /(?:\b(?:test|it|describe)[\w.]*|\))\(\s*("(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`)/g;

/** The texts of a source that people read: its comments, and its strings of several words. */
export function commentsAndStrings(path: string, source: string): Text[] {
  const pattern = path.endsWith(".py") ? OF_PYTHON : COMMENTS_AND_STRINGS;
  return [...source.matchAll(pattern)]
    .filter(([found]) => found.includes(" "))
    .flatMap(({ 0: found, index }) => paragraphs(found, index));
}

export function comments(_path: string, source: string): Text[] {
  return [...source.matchAll(COMMENTS_AND_STRINGS)]
    .filter(([found]) => found.startsWith("/"))
    .flatMap(({ 0: found, index }) => paragraphs(found, index));
}

export function titles(_path: string, source: string): Text[] {
  return [...source.matchAll(TITLES)].flatMap(({ 1: title = "", index }) =>
    paragraphs(title.replaceAll("%s", "X"), index),
  );
}

/** A Markdown page outside of fences. */
export function prose(_path: string, page: string): Text[] {
  let isFenced = false;
  const rows = page.split("\n").map((row) => {
    const isFence = row.trimStart().startsWith("```");
    if (isFence) isFenced = !isFenced;
    return isFence || isFenced ? "" : row;
  });
  return paragraphs(rows.join("\n"), 0);
}

/** The sentences of a text, in one line each. */
export function sentences(text: string): string[] {
  return text
    .replaceAll(/\s+/g, " ")
    .trim()
    .split(/(?<=[.!?]["')*]?) (?=[A-Z*"'([])/);
}

/** Parts between blank lines, items of lists and cells of tables, without code. */
function paragraphs(source: string, index: number): Text[] {
  const plain = source
    .replaceAll(/^["'`]+|["'`]+$|\*\/$/g, "")
    .replaceAll(/`[^`\n]*`/g, "X")
    .replaceAll(/\$\{[^}]*\}/g, "X")
    .replaceAll(/\]\([^)\s]*\)/g, "]")
    .replaceAll(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/|#)(?= |$)/gm, "");
  const found: Text[] = [];
  let part: string[] = [];
  let begun = 0;
  for (const [n, row] of [...plain.split("\n"), ""].entries()) {
    const isCell = row.startsWith("|");
    if (row.trim() === "" || isCell || /^\s*(?:[-*]|\d+\.) /.test(row)) {
      if (part.length > 0) found.push({ index, row: begun, text: part.join("\n") });
      part = [];
      begun = n;
    }
    if (isCell) found.push(...row.split("|").map((text) => ({ index, row: n, text })));
    else if (row.trim() !== "") {
      if (part.length === 0) begun = n;
      part.push(row.replace(/^\s*(?:[-*]|\d+\.) /, ""));
    }
  }
  return found;
}
