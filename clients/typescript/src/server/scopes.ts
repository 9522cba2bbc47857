import { likely, nearest } from "../nearest.ts";
import { BUILT_IN_SCOPES, type ScopeName } from "../vocabulary.ts";

/** The scope an API key must have, `domain:action`, or several, all of them; an empty list requires a valid caller only. */
export type Scopes = ScopeName | readonly ScopeName[];

/** The form of a scope that can be asked for, as the service accepts it in its SCOPES_FILE. No wildcard has it. */
const SCOPE = /^[a-z][a-z0-9_-]{0,62}:[a-z][a-z0-9_-]{0,62}$/;

/** All scopes that can be asked for. Throws a `TypeError` for own ones that no SCOPES_FILE could have. */
export function allScopes(ownScopes: readonly string[] = []): readonly string[] {
  const own: unknown = ownScopes;
  if (!Array.isArray(own))
    throw new TypeError('ownScopes must be a list of the scopes in SCOPES_FILE, such as ["reports:read"]');
  for (const [index, scope] of own.entries()) {
    if (!isScope(scope))
      throw new TypeError(
        `ownScopes[${index}] must be one "domain:action" in lower case, digits, - and _, such as "reports:read"`,
      );
  }
  return [...new Set([...BUILT_IN_SCOPES, ...own])];
}

/** The scopes as a list. Throws a `TypeError` for any other value, and for a scope that is not among `known`. */
export function checkedScopes(scopes: Scopes, known: readonly string[]): readonly string[] {
  const list: unknown = typeof scopes === "string" ? [scopes] : scopes;
  if (!Array.isArray(list) || !list.every(isScope))
    throw new TypeError('scopes must be one "domain:action", such as "plans:read", or a list of such texts');
  for (const scope of list) {
    if (!known.includes(scope)) throw new TypeError(unknownScope(scope, nearestScope(scope, known)));
  }
  return [...list];
}

function isScope(value: unknown): value is string {
  return typeof value === "string" && SCOPE.test(value);
}

function unknownScope(scope: string, meant: string | undefined): string {
  const question = meant === undefined ? ";" : `; did you mean "${meant}"? If not,`;
  return `scopes: "${scope}" is not a known scope${question} name the scopes of Latchkey's SCOPES_FILE in ownScopes`;
}

/** Shorter parts are in too many scopes. */
const PART_CHARS_MIN = 3;

/**
 * The known scope that was probably meant; undefined where none is near. It is the one that the service itself suggests: of
 * those that begin with the domain, else of those that contain it, else of those that resemble the text.
 */
export function nearestScope(scope: string, known: readonly string[]): string | undefined {
  const [domain = ""] = scope.split(":", 1);
  // Only its own domain includes the scope that sets the rules for others.
  const common = known.filter((one) => !one.endsWith(":admin"));
  const choices = [
    known.filter((one) => one.startsWith(domain)),
    domain.length < PART_CHARS_MIN ? [] : common.filter((one) => one.includes(domain)),
  ];
  const choice = choices.find((candidates) => candidates.length > 0);
  return choice === undefined ? likely(scope, common) : nearest(scope, choice);
}
