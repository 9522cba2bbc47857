/** Whether members can be read of a value as of a literal: no `Map`, `Date`, list or other thing with contents of its own. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && tagOf(value) === "Object";
}

/** The kind of a value, for a message: `a string`, `a Map`. Of texts and objects it does not show what they hold. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === "number") return String(value);
  const kind = typeof value === "object" ? tagOf(value) : typeof value;
  return `${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}`;
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}
