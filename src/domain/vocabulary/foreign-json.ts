/** The problem with a number that is not kept, as what follows the member's name. */
export const MUST_BE_KEPT =
  "must not have a number beyond those of a double, which holds integers up to 9007199254740991 (2^53-1); send a larger one as a text";

/**
 * A number of 16 digits or with an exponent: all others are kept. Ordinary tokens have none, so that looking for it is all
 * that they cost. A string may look the same; then its value decides.
 */
const MAY_BE_LOST = /(?:^|[\s:,[])-?(?:[0-9]{16}|[0-9]+(?:\.[0-9]+)?[eE])/;
/** An integer beyond `EXPONENT_MIN` that is written in digits. */
const LONG_INTEGER = /(?:^|[\s:,[])-?[0-9]{22}/;
/** From here on JavaScript writes a number with an exponent, so 1e300 comes back as it was written. */
const EXPONENT_MIN = 1e21;

/**
 * Parses JSON that others wrote: bodies, tokens, key sets, providers' documents. Throws a `SyntaxError`, as `JSON.parse` does.
 *
 * A double holds integers exactly up to 2^53-1. `JSON.parse` makes 9007199254740992 of 9007199254740993, so one user's number
 * would equal another's, and 1e400 an infinity. Each becomes NaN here: it equals nothing, itself included.
 */
export function parseForeignJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MAY_BE_LOST.test(text)) return value;
  const isKept = LONG_INTEGER.test(text) ? isExactNumber : isKeptNumber;
  if (typeof value === "number") return isKept(value) ? value : Number.NaN;
  // Not by recursion, nor by a reviver: a token may have ten thousand arrays within each other.
  const open: object[] = isObject(value) ? [value] : [];
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    for (const [name, member] of Object.entries(inner)) {
      if (isObject(member)) open.push(member);
      else if (typeof member === "number" && !isKept(member)) Reflect.set(inner, name, Number.NaN);
    }
  }
  return value;
}

/** Whether a number can be compared: no other one is read as the same double. */
export function isExactNumber(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** Whether a number can be stored: it comes back as it was sent. */
export function isKeptNumber(value: number): boolean {
  return isExactNumber(value) || (Number.isFinite(value) && Math.abs(value) >= EXPONENT_MIN);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
