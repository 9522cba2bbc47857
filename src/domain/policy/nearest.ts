/** Longest text that is compared whole; the rest of a longer one cannot bring it nearer to any word of ours. */
const COMPARED_CHARS_MAX = 64;

/** The candidate with the fewest single-character edits from `text`, whatever the case; the first of equals. */
export function nearest(text: string, candidates: readonly string[]): string {
  const compared = text.slice(0, COMPARED_CHARS_MAX).toLowerCase();
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

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
