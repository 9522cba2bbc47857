/** Controls, line ends, and characters that change the direction of text: a terminal would act on them. */
const INTERPRETED = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu;

/** Text on one line that is safe to print: a tenant chooses the names of its keys, and an operator's terminal shows them. */
export function printable(text: string): string {
  return text.replace(INTERPRETED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
