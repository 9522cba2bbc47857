import type { Catalogue } from "../access/catalogue.ts";
import { checkedBrowser, checkedIps, checkedOrigins, type FenceInput } from "../credentials/fence.ts";
import type { KeyRecord } from "../credentials/key.ts";
import { checkedMetadata, type Metadata } from "../credentials/metadata.ts";
import { type RateLimit, UNLIMITED } from "../limits/caps.ts";
import { checkedName } from "../vocabulary/name.ts";
import { likely } from "../vocabulary/nearest.ts";
import { faultOf, quotable } from "../vocabulary/request-fault.ts";
import type { KeyChange, KeyPatch } from "./key-change.ts";
import { changedLimit, isLimitPath, LIMIT_PATHS, LIMIT_PATHS_SENTENCE, type LimitPath } from "./limit-mask.ts";
import { refuseRevoked } from "./refuse-revoked.ts";
import { checkedExpiry, checkedPermissions } from "./rules.ts";
import { checkUpdated, type RuledMember } from "./within-policy.ts";

/** The fields that an update can change, in snake case and camel case. */
const MASKABLE = new Map<string, UpdatableField>([
  ["name", "name"],
  ["description", "description"],
  ["permissions", "permissions"],
  ["rate_limit", "rateLimit"],
  ["rateLimit", "rateLimit"],
  ["expires_at", "expiresAt"],
  ["expiresAt", "expiresAt"],
  ["metadata", "metadata"],
  ["external_id", "externalId"],
  ["externalId", "externalId"],
  ...LIMIT_PATHS,
  ["allowed_ips", "allowedIps"],
  ["allowedIps", "allowedIps"],
  ["allowed_origins", "allowedOrigins"],
  ["allowedOrigins", "allowedOrigins"],
  ["allow_browser", "allowBrowser"],
  ["allowBrowser", "allowBrowser"],
]);

export type UpdatableField = keyof KeyValues | LimitPath;

/** New values. Null: the caller gave none, which clears the field if the mask names it. */
export interface KeyValues extends FenceInput {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly rateLimit: RateLimit | null;
  readonly expiresAt: Date | null;
  readonly metadata: Metadata | null;
  /** Empty: none. */
  readonly externalId: string;
}

/** The fields a mask such as `name,rate_limit` names. An empty mask and an unknown or fixed field are faults. */
export function parseUpdateMask(mask: string): ReadonlySet<UpdatableField> {
  const fields = new Set<UpdatableField>();
  for (const part of mask.split(",")) {
    const path = part.trim();
    const field = MASKABLE.get(path);
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
  const patch: KeyPatch = {
    ...(fields.has("name") && { name: checkedName(values.name) }),
    ...(fields.has("description") && { description: values.description }),
    ...(fields.has("permissions") && { permissions: checkedPermissions(values.permissions, current.type, catalogue) }),
    ...newLimit(current.rateLimit, fields, values.rateLimit ?? UNLIMITED),
    ...(fields.has("expiresAt") && { expiresAt: newExpiry(current, values.expiresAt, now) }),
    ...(fields.has("metadata") && { metadata: checkedMetadata(values.metadata) }),
    ...(fields.has("externalId") && { externalId: values.externalId }),
    ...(fields.has("allowedIps") && { allowedIps: checkedIps(values.allowedIps) }),
    ...(fields.has("allowedOrigins") && { allowedOrigins: checkedOrigins(values.allowedOrigins, current.type) }),
    ...(fields.has("allowBrowser") && { allowBrowser: checkedBrowser(values.allowBrowser, current.type) }),
  };
  const ruled = RULED.filter((member) => patch[member] !== undefined);
  if (ruled.length === 0) return { patch };
  return { patch, check: checkUpdated({ ...current, ...patch }, ruled) };
}

function newLimit(current: RateLimit, fields: ReadonlySet<UpdatableField>, given: RateLimit): KeyPatch {
  if (fields.has("rateLimit")) return { rateLimit: given };
  const paths = [...fields].filter(isLimitPath);
  return paths.length === 0 ? {} : { rateLimit: changedLimit(current, paths, given) };
}
/** The members that the tenant's rules are about. */
const RULED = ["permissions", "rateLimit", "expiresAt", "allowedIps"] as const satisfies readonly RuledMember[];

/**
 * An expired key stays expired, and a rotated key's life can only be shortened: otherwise an update would undo the end
 * that a rotation promised.
 */
function newExpiry(current: KeyRecord, expiresAt: Date | null, now: Date): Date | null {
  if (expiresAt !== null) checkedExpiry(expiresAt, now);
  if (current.expiresAt !== null && current.expiresAt <= now) {
    throw faultOf("key_expired", "expires_at", "the key has expired, which is final; create a new key");
  }
  const lengthened = current.expiresAt !== null && (expiresAt === null || expiresAt > current.expiresAt);
  if (current.rotatedTo !== null && lengthened) {
    throw faultOf(
      "key_already_rotated",
      "expires_at",
      `the life of a rotated key cannot be lengthened; use its successor ${current.rotatedTo}`,
    );
  }
  return expiresAt;
}

/** The names of the fields in answers. */
export const MASKABLE_NAMES: readonly string[] = [
  "name",
  "description",
  "permissions",
  "rate_limit",
  "expires_at",
  "metadata",
  "external_id",
  "allowed_ips",
  "allowed_origins",
  "allow_browser",
];

/** The problem with `path`, a part of the mask that is not a field. */
function maskProblem(mask: string, path: string): string {
  const known = MASKABLE_NAMES.join(", ");
  if (mask.trim() === "") return `is required: a comma-separated list of ${known}`;
  if (path === "") return "has an empty entry; remove the comma that is too many";
  const [whole = ""] = path.split(".", 1);
  if (MASKABLE.get(whole) === "rateLimit") return `"${quotable(path)}": ${LIMIT_PATHS_SENTENCE}`;
  if (MASKABLE.has(whole)) return `"${quotable(path)}": name ${whole}, which is replaced as a whole`;
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
