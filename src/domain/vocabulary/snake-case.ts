/** `rate_limit` of `rateLimit`. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** The name of a member in requests and in the database. */
export function snakeCase<Name extends string>(name: Name): SnakeCase<Name> {
  // The one place that says that the function does what the type says.
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as SnakeCase<Name>;
}
