/** Longest text that is compared whole. */
const COMPARED_CHARS_MAX = 64;
/** A single character is part of too many words to mean one of them. */
const PART_CHARS_MIN = 2;

/**
 * The candidate that a misspelt name most likely means; undefined where none looks like it.
 *
 * It finds what the service finds (`src/domain/vocabulary/nearest.ts`), which a test holds: the same mistake gets the same hint.
 */
export function likely(text: string, candidates: readonly string[]): string | undefined {
  const compared = comparable(text);
  return nearest(
    text,
    candidates.filter((candidate) => isAlike(compared, candidate.toLowerCase())),
  );
}

/** The candidate with the fewest single-character edits from `text`, ignoring case; of equals, the first. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const compared = comparable(text);
  const distances = candidates.map((candidate) => editDistance(compared, candidate.toLowerCase()));
  return candidates[distances.indexOf(Math.min(...distances))];
}

function comparable(text: string): string {
  return text.slice(0, COMPARED_CHARS_MAX).toLowerCase();
}

/** One is a part of the other, or they differ in two characters, if that is not half of them, or in a third. */
function isAlike(text: string, candidate: string): boolean {
  if (candidate.includes(text)) return text.length >= PART_CHARS_MIN;
  if (text.includes(candidate)) return true;
  const distance = editDistance(text, candidate);
  const length = Math.max(text.length, candidate.length);
  return (distance <= 2 && 2 * distance < length) || 3 * distance <= length;
}

/** Levenshtein's distance, one row at a time, where two neighbours that changed places are one edit. */
function editDistance(a: string, b: string): number {
  let last: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (last[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution, swap));
    }
    last = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
