/** Fewer possible texts than this are tried within hours. */
const BITS_MIN = 64;

/**
 * Whether somebody could have chosen a key by hand, such as `password-password-1`: how often each character occurs says how much a
 * text can hide at most. A format's length bounds only what its system has drawn.
 */
export function isGuessable(text: string): boolean {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const bits = [...counts.values()].reduce((sum, count) => sum - count * Math.log2(count / text.length), 0);
  return bits < BITS_MIN || isRepeated(text);
}

/** Whether the text is one short text again and again. */
function isRepeated(text: string): boolean {
  const period = `${text}${text}`.indexOf(text, 1);
  return period < text.length;
}
