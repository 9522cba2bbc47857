import { grants } from "./scopes.ts";

/**
 * The scopes that both lists grant, and no others: of each pair of which one grants the other, the narrower one. In the order of
 * `allowed`.
 */
export function narrowed(held: readonly string[], allowed: readonly string[]): readonly string[] {
  const both = allowed.flatMap((scope) =>
    held.some((one) => grants(one, scope)) ? [scope] : held.filter((one) => grants(scope, one)),
  );
  return [...new Set(both)];
}
