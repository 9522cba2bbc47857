/** Whose records are erased. */
export type ErasureTarget = UserTarget | TenantTarget;

/** The records of a user in one tenant. */
export interface UserTarget {
  readonly kind: "user";
  readonly tenantId: string;
  readonly userId: string;
  /** Null: of every issuer. */
  readonly issuer: string | null;
}

/** All that is stored of a tenant. */
export interface TenantTarget {
  readonly kind: "tenant";
  readonly tenantId: string;
}

/** The kinds of records that are removed, by the names that the API gives them. */
export const ERASED_KINDS = [
  "conversations",
  "runs",
  "messages",
  "client_message_ids",
  "members",
  "invitations",
  "client_org_ids",
  "org_names",
  "keys",
  "key_actors",
  "key_usage",
  "requests",
  "webhooks",
  "webhook_events",
  "access_tokens",
  "federation_rules",
] as const;

export type ErasedKind = (typeof ERASED_KINDS)[number];

/** How many records of each kind were removed. Kinds of which there were none may be absent. */
export type Removed = Readonly<Partial<Record<ErasedKind, number>>>;

export interface Erasure {
  /** Also the id of the event with which it ends in the audit trail. */
  readonly erasureId: string;
  readonly removed: Removed;
  readonly isFinished: boolean;
}

/** Adds two counts. Kinds without rows are absent. */
export function addRemoved(a: Removed, b: Removed): Removed {
  const sums = ERASED_KINDS.map((kind) => [kind, (a[kind] ?? 0) + (b[kind] ?? 0)] as const);
  return Object.fromEntries(sums.filter(([, sum]) => sum > 0));
}

export function isNothing(removed: Removed): boolean {
  return Object.keys(addRemoved(removed, {})).length === 0;
}
