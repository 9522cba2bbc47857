import { isDeepStrictEqual } from "node:util";
import type { Catalogue } from "../access/catalogue.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { type RateLimit, UNLIMITED } from "../limits/caps.ts";
import { likely } from "../vocabulary/nearest.ts";
import { faultOf, quotable } from "../vocabulary/request-fault.ts";
import { snakeCase } from "../vocabulary/snake-case.ts";
import type { KeyChange, KeyPatch } from "./key-change.ts";
import { GIVEN_MEMBERS, type GivenMember, givenMembers, type KeyValues, RULED_MEMBERS } from "./key-fields.ts";
import { changedLimit, isLimitPath, LIMIT_PATHS, LIMIT_PATHS_SENTENCE, type LimitPath } from "./limit-mask.ts";
import { refuseRevoked } from "./refuse-revoked.ts";
import { checkUpdated } from "./within-policy.ts";

export type UpdatableField = GivenMember | LimitPath;

/** The fields that an update can change, by their names in snake case. */
const MASKABLE: ReadonlyMap<string, UpdatableField> = new Map<string, UpdatableField>([
  ...GIVEN_MEMBERS.map((member): [string, GivenMember] => [snakeCase(member), member]),
  ...LIMIT_PATHS,
]);

/** The fields a mask such as `name,rate_limit` names, each in snake case or camelCase. An empty mask and an unknown or fixed field are faults. */
export function parseUpdateMask(mask: string): ReadonlySet<UpdatableField> {
  const fields = new Set<UpdatableField>();
  for (const part of mask.split(",")) {
    const path = part.trim();
    const field = MASKABLE.get(snakeCase(path));
    if (field === undefined) throw faultOf("invalid_update_mask", "update_mask", maskProblem(mask, path));
    fields.add(field);
  }
  return fields;
}

/** Decides the change from the current record, under the row lock. */
export function decideUpdate(
  current: KeyRecord,
  fields: ReadonlySet<UpdatableField>,
  values: KeyValues,
  catalogue: Catalogue,
  now: Date,
): KeyChange {
  refuseRevoked(current, "updated");
  const named = GIVEN_MEMBERS.filter((member) => fields.has(member));
  const given: KeyPatch = {
    ...givenMembers(named, values, { current, catalogue, rateLimitDefault: UNLIMITED, now }),
    ...newLimit(current.rateLimit, fields, values.rateLimit ?? UNLIMITED),
  };
  const patch = withoutEqual(given, current);
  const ruled = RULED_MEMBERS.filter((member) => given[member] !== undefined);
  if (ruled.length === 0) return { patch };
  return { patch, check: checkUpdated({ ...current, ...given }, ruled) };
}

/** The members that differ: an update that changes nothing is not a change, and is not dated. */
function withoutEqual(given: KeyPatch, current: KeyRecord): KeyPatch {
  const old: Readonly<Record<string, unknown>> = { ...current };
  return Object.fromEntries(Object.entries(given).filter(([member, value]) => !isDeepStrictEqual(value, old[member])));
}

/** The limit, some of whose members alone are named. */
function newLimit(current: RateLimit, fields: ReadonlySet<UpdatableField>, given: RateLimit): KeyPatch {
  const paths = [...fields].filter(isLimitPath);
  if (fields.has("rateLimit") || paths.length === 0) return {};
  return { rateLimit: changedLimit(current, paths, given) };
}

/** The names of the fields in answers. */
export const MASKABLE_NAMES: readonly string[] = GIVEN_MEMBERS.map(snakeCase);

/** The problem with `path`, a part of the mask that is not a field. */
function maskProblem(mask: string, path: string): string {
  const known = MASKABLE_NAMES.join(", ");
  if (mask.trim() === "") return `is required: a comma-separated list of ${known}`;
  if (path === "") return "has an empty entry; remove the comma that is too many";
  const [whole = ""] = path.split(".", 1);
  if (MASKABLE.get(snakeCase(whole)) === "rateLimit") return `"${quotable(path)}": ${LIMIT_PATHS_SENTENCE}`;
  if (MASKABLE.has(snakeCase(whole))) return `"${quotable(path)}": name ${whole}, which is replaced as a whole`;
  if (/[\s;|]/.test(path)) return `"${quotable(path)}" is several words; separate names by commas`;
  const meant = likely(path, MASKABLE_NAMES);
  return meant === undefined
    ? `"${quotable(path)}" ${fixedField(path)}; name only ${known}`
    : `"${quotable(path)}" cannot be updated; did you mean "${meant}"? The mask takes ${known}`;
}

/** Says that a member of a key's record cannot be updated, and what changes it instead. */
export function fixedField(name: string): string {
  return name === "status" ? "cannot be updated: use disable, enable or revoke" : "cannot be updated";
}
