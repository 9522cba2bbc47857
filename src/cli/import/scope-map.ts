import { parseForeignJson } from "../../domain/vocabulary/foreign-json.ts";
import { isJsonObject } from "../../domain/vocabulary/json-object.ts";
import { quotable } from "../../domain/vocabulary/request-fault.ts";
import { UsageError } from "../exit-status.ts";
import { RowProblem } from "./read-result.ts";

/**
 * The meaning of a source's own scopes and teams here, from the file of `--map`:
 *
 * ```json
 * {
 *   "scopes": { "documents.read": ["files:read"], "documents.*": ["files:read", "files:write"], "legacy": [] },
 *   "without_scopes": ["files:read"],
 *   "tenants": { "team1": "org_…" }
 * }
 * ```
 */
export interface ScopeMap {
  /** Scopes of the catalogue for each own scope. A scope that is missing refuses its row; an empty list drops the scope. */
  readonly scopes: ReadonlyMap<string, readonly string[]> | undefined;
  /** The scopes of keys that have none in the source. */
  readonly withoutScopes: readonly string[];
  /** The tenant of each team or organization of the source. Only the operator imports for several tenants. */
  readonly tenants: ReadonlyMap<string, string> | undefined;
}

const OPTION = "--map";

/** Reads the text of the file. Throws `UsageError`. */
export function parseScopeMap(text: string): ScopeMap {
  let value: unknown;
  try {
    value = parseForeignJson(text);
  } catch {
    throw new UsageError(`${OPTION} is not valid JSON`);
  }
  if (!isJsonObject(value)) throw new UsageError(`${OPTION} must be a JSON object`);
  const { scopes, without_scopes: withoutScopes = [], tenants, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new UsageError(
      `${OPTION} has the member ${JSON.stringify(other)}; it has only scopes, without_scopes and tenants`,
    );
  return {
    scopes: scopes === undefined ? undefined : entriesOf("scopes", scopes, scopeList),
    withoutScopes: scopeList("without_scopes", withoutScopes),
    tenants: tenants === undefined ? undefined : entriesOf("tenants", tenants, tenantId),
  };
}

/** The scopes of the catalogue for those of one key. Throws `RowProblem` rather than leave out a right or guess one. */
export function mappedScopes(member: string, own: readonly string[], map: ScopeMap): readonly string[] {
  if (own.length === 0 && map.withoutScopes.length === 0)
    throw new RowProblem(member, 'are missing; name the scopes of such keys as "without_scopes" in the file of --map');
  const mapped = own.length === 0 ? map.withoutScopes : own.flatMap((scope) => scopesFor(member, scope, map));
  if (mapped.length === 0) throw new RowProblem(member, "are all dropped by --map");
  return [...new Set(mapped)];
}

/** The tenant of a team of the source. Without `tenants` rows name none: they go to the caller's own. */
export function mappedTenant(member: string, team: string, { tenants }: ScopeMap): string | undefined {
  const tenant = tenants?.get(team);
  if (tenants !== undefined && tenant === undefined)
    throw new RowProblem(member, 'has a team that "tenants" in the file of --map does not have');
  return tenant;
}

function scopesFor(member: string, scope: string, { scopes }: ScopeMap): readonly string[] {
  if (scopes === undefined) return [scope];
  const mapped = scopes.get(scope);
  if (mapped === undefined)
    throw new RowProblem(member, `have "${quotable(scope)}", which "scopes" in the file of --map does not have`);
  return mapped;
}

function entriesOf<T>(name: string, value: unknown, read: (name: string, value: unknown) => T): ReadonlyMap<string, T> {
  if (!isJsonObject(value)) throw new UsageError(`${name} in ${OPTION} must be a JSON object`);
  return new Map(Object.entries(value).map(([own, each]) => [own, read(`${name}.${own}`, each)]));
}

function scopeList(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new UsageError(`${name} in ${OPTION} must be a list of scopes`);
}

function tenantId(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw new UsageError(`${name} in ${OPTION} must be the id of a tenant`);
}
