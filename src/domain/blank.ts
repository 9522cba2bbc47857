/** What nothing is drawn for: white space, controls, and the zero-width and filling characters of Unicode. */
const INVISIBLE = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;

/** Whether a text has nothing to be seen: a list would show a key of such a name as if it had none. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}
