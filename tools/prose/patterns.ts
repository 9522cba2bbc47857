/** Wording that the house style replaces: each finding is a sentence to rewrite. */
const PATTERNS: readonly RegExp[] = [
  // "only" stands before its word.
  /\w\)? alone\b(?=[.,;:)]|$| (?:and|or|in|on|for|from|by|to|with|that)\b)/g,
  // "is not a".
  /(?<!here )\b(?:is|are|was) no (?!longer|more|less|such|later|earlier|need)\w/g,
  /, none (?:a|of|is|are)\b|\b(?:is|are) none\b/g,
  /\bbut for\b|\bsave (?:in|that|the erasure|those)\b/g,
  /\bstands? for (?:an? |the )?(?:API )?keys?\b/g,
  /\b[Mm]end(?:s|ed|ing)?\b/g,
  /\b(?:[Ff]or so long ago|[Ll]ikewise|[Nn]obody|[Ww]hoever|[Aa]new|told|judge[sd]?|judgement)\b/g,
  // Figures belong in tables of measurements.
  /\b(?:load averages?|earlier run|at commit|on a (?:quiet|slow|busy) machine|twice as (?:fast|slow))\b/g,
];
/** An actor stands in the place of a clause as the subject. */
const CLAUSE = /^(?:What|Whoever|Those (?:who|that)) (?!happens)/;
const ITS_VERB = / (?:is|are|has|have|gets?|counts?|stays?|goes|ends|needs)\b/;
const CLAUSE_CHARS = 100;
const WORDS_MAX = 35;

export function findingsIn(sentence: string): string[] {
  const found = PATTERNS.flatMap((pattern) => [...sentence.matchAll(pattern)].map(([match]) => match));
  return sentence.endsWith("?") ? found : [...clauseSubjects(sentence), ...found];
}

function clauseSubjects(sentence: string): string[] {
  const beginnings = sentence.split(/[:;] /).map((part) => part.slice(0, CLAUSE_CHARS));
  return beginnings.filter((beginning) => CLAUSE.test(beginning) && ITS_VERB.test(beginning));
}

export function isLong(sentence: string): boolean {
  return sentence.split(" ").filter((word) => /[\p{L}\p{N}]/u.test(word)).length > WORDS_MAX;
}
