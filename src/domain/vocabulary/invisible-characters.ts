/**
 * Characters that JSON does not escape but that terminals and log readers interpret: controls (U+009B begins a terminal
 * command), line ends, and characters that change the direction of text.
 */
const INTERPRETED = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;

/** Text without any of them. This test costs a fraction of searching for them. */
const ASCII = /^[\n -~]*$/;

/** Returns the same JSON with these characters escaped. */
export function escapeInvisible(json: string): string {
  if (ASCII.test(json)) return json;
  return json.replace(INTERPRETED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
