/** Stands for a date. Neither PostgreSQL nor a header can hold the character, so no other object of a record has the member. */
const DATE = "\u0000ms";

/** A record as JSON, with its dates. The record is one of the service's own types, of the same release. */
export function encode(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, member: unknown) {
    // JSON has made a text of a date before this is called.
    const original = this[key];
    return original instanceof Date ? { [DATE]: original.getTime() } : member;
  });
}

/** What `encode` was given. */
export function decode<Value>(text: string): Value {
  return JSON.parse(text, (_, member) =>
    typeof member === "object" && member !== null && typeof member[DATE] === "number" ? new Date(member[DATE]) : member,
  );
}
