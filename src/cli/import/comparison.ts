import type { ImportRow } from "./import-row.ts";

/** What decides about the calls of a key, in either system. */
export interface KeyFacts {
  readonly status: "active" | "disabled" | "expired" | "revoked";
  readonly permissions: readonly string[];
  readonly rate_limit: object;
  readonly expires_at?: string;
  readonly tenant_id?: string;
}

export type Member = keyof KeyFacts;

/** The members in which the systems differ. `there`: in the other system; `here`: in Latchkey. */
export type Differing = { readonly [Name in Member]?: { readonly there: unknown; readonly here: unknown } };

const MEMBERS = ["status", "permissions", "rate_limit", "expires_at", "tenant_id"] as const satisfies readonly Member[];
/** Exports that count what is left of a key's life do so from a time that is known to the minute. */
const SAME_INSTANT_MS = 60_000;

/** What a row says of its key at an instant. */
export function factsOf(row: ImportRow, now: Date): KeyFacts {
  const { permissions = [], rate_limit: limit, expires_at: expiresAt, tenant_id: tenantId } = row;
  return {
    status: statusOf(row, now),
    permissions: [...new Set(permissions)].sort(),
    rate_limit: withoutZeros({ ...limit, per_user: withoutZeros({ ...limit?.per_user }) }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(tenantId !== undefined && { tenant_id: tenantId }),
  };
}

/** Whether no call is admitted any more, for good. */
export function hasEnded({ status }: KeyFacts): boolean {
  return status === "revoked" || status === "expired";
}

/** Of keys that have ended in both, only why. */
export function differing(there: KeyFacts, here: KeyFacts): Differing {
  const compared = hasEnded(there) && hasEnded(here) ? MEMBERS.slice(0, 1) : MEMBERS;
  const members = compared.filter((member) => !isSame(member, there, here));
  return Object.fromEntries(members.map((member) => [member, { there: there[member], here: here[member] }]));
}

function isSame(member: Member, there: KeyFacts, here: KeyFacts): boolean {
  // The other system need not say of which tenant a key is.
  if (member === "tenant_id") return there.tenant_id === undefined || there.tenant_id === here.tenant_id;
  if (member === "expires_at") return isSameInstant(there.expires_at, here.expires_at);
  return JSON.stringify(there[member]) === JSON.stringify(here[member]);
}

function isSameInstant(there: string | undefined, here: string | undefined): boolean {
  if (there === undefined || here === undefined) return there === here;
  return Math.abs(Date.parse(there) - Date.parse(here)) <= SAME_INSTANT_MS;
}

function statusOf(
  { revoked_at: revokedAt, disabled, expires_at: expiresAt }: ImportRow,
  now: Date,
): KeyFacts["status"] {
  if (revokedAt !== undefined) return "revoked";
  if (disabled === true) return "disabled";
  return expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime() ? "expired" : "active";
}

/** In the order of names, for a comparison of texts. */
function withoutZeros(limits: Readonly<Record<string, unknown>>): object {
  const set = Object.entries(limits).filter(([, value]) => value !== 0 && value !== undefined);
  const filled = set.filter(
    ([, value]) => typeof value !== "object" || value === null || Object.keys(value).length > 0,
  );
  return Object.fromEntries(filled.sort(([a], [b]) => (a < b ? -1 : 1)));
}
