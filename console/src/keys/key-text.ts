/** The stored texts by which a key is found. */
const PREFIX_CHARS = 12;
const BRANDED = /^([sp]k_)[a-z][a-z0-9]{1,15}_/;
/** A key, or most of one, anywhere in a text: people paste the line of a settings file. */
const KEY = /[sp]k_(?:[a-z][a-z0-9]{1,15}_)?[0-9A-Za-z]{10,}/;

/** A text to search for, in which a pasted key is cut to what identifies it: the rest is secret and stays here. */
export function withoutSecret(text: string): string {
  const [key] = KEY.exec(text) ?? [];
  return key === undefined ? text : key.replace(BRANDED, "$1").slice(0, PREFIX_CHARS);
}
