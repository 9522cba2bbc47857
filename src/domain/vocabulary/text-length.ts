/** Counts Unicode characters. A character has at most two UTF-16 units, so a much longer text need not be counted. */
export function longerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}
