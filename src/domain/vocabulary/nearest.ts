/** Characters of a text that are compared. The known words are shorter, so the rest of a longer text makes no difference. */
const COMPARED_CHARS_MAX = 64;
/** A single character is part of too many words. */
const PART_CHARS_MIN = 2;

/** The candidate with the fewest single-character edits from `text`, ignoring case; of equals, the first. */
export function nearest(text: string, candidates: readonly string[]): string {
  const compared = comparable(text);
  let best = candidates[0] ?? "";
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(compared, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The nearest of the candidates that resemble `text`. Undefined: none does. */
export function likely(text: string, candidates: readonly string[]): string | undefined {
  const compared = comparable(text);
  const alike = candidates.filter((candidate) => isAlike(compared, candidate.toLowerCase()));
  return alike.length === 0 ? undefined : nearest(text, alike);
}

/** One contains the other, or they differ in at most a third of the characters, or in two if that is less than half. */
function isAlike(text: string, candidate: string): boolean {
  if (candidate.includes(text)) return text.length >= PART_CHARS_MIN;
  if (text.includes(candidate)) return true;
  const distance = editDistance(text, candidate);
  const length = Math.max(text.length, candidate.length);
  return (distance <= 2 && 2 * distance < length) || 3 * distance <= length;
}

function comparable(text: string): string {
  return text.slice(0, COMPARED_CHARS_MAX).toLowerCase();
}

/** Levenshtein distance, one row at a time; swapping two neighbours counts as one edit. */
export function editDistance(a: string, b: string): number {
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
