/** Invisible characters: white space, controls, the zero-width and filler characters of Unicode, and the Braille cell without dots. */
const INVISIBLE = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether a text has no visible character. In a list, a key with such a name would seem to have none. */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}
