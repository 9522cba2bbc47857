/**
 * Characters that JSON takes as they are and that whoever shows or splits a text may obey: controls (U+009B begins a
 * terminal's command), ends of lines, and what turns the direction of text around.
 */
const UNSEEN = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;

/** What none of them is among. To see that a text has no others costs a fraction of looking for them. */
const ASCII = /^[\n -~]*$/;

/** The same JSON, with these characters escaped. */
export function escapeInvisible(json: string): string {
  if (ASCII.test(json)) return json;
  return json.replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
