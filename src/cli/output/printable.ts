/** Controls, line ends, and characters that change the direction of text: a terminal would act on them. */
const INTERPRETED = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu;

/** The same except line ends and ASCII, which JSON escapes itself. */
const LEFT_BY_JSON = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;

/** Text on one line that is safe to print: a tenant chooses the names of its keys, and an operator's terminal shows them. */
export function printable(text: string): string {
  return text.replace(INTERPRETED, escaped);
}

/** A text that was made for a terminal, whose lines stay. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** A value as JSON on one line that is safe to print: the escapes are JSON's own, so a program reads the same value. */
export function printableJson(value: object): string {
  return JSON.stringify(value).replace(LEFT_BY_JSON, escaped);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
