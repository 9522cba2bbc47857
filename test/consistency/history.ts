import type { Verification } from "./observations.ts";

/** A change of one key, or of one tenant: from its request to its acknowledgement. */
export interface Change {
  /** What verifications return from then on. */
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a verification returned of one key, or of one tenant, and when it took place. */
export interface Observation {
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Checks linearizability: one order of all changes and observations must explain every observation and respect real
 * time, so that what ended before something began comes before it. Returns the first observation that no such order
 * explains.
 *
 * The changes follow each other, so they already have an order, and each observation follows a number of them. It gets
 * the smallest number that fits its status and is not below that of an earlier observation. A smaller number never
 * excludes a later observation, so if this choice fails, every choice fails.
 */
export function firstUnexplained(
  initial: string,
  changes: readonly Change[],
  observations: readonly Observation[],
): Observation | undefined {
  const statuses = [initial, ...changes.map(({ status }) => status)];
  /** The most changes that an observation follows which ended before the current one began. */
  let seen = 0;
  /** The observations that had not ended then. */
  let open: { readonly toMs: number; readonly behind: number }[] = [];
  for (const observation of observations.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const { status, fromMs, toMs } = observation;
    const acknowledged = changes.filter((change) => change.toMs < fromMs).length;
    const begun = changes.filter((change) => change.fromMs <= toMs).length;
    const ended = open.filter((earlier) => earlier.toMs < fromMs);
    seen = Math.max(seen, ...ended.map((earlier) => earlier.behind));
    open = open.filter((earlier) => earlier.toMs >= fromMs);
    const behind = statuses.findIndex((one, n) => n >= Math.max(acknowledged, seen) && n <= begun && one === status);
    if (behind < 0) return observation;
    open.push({ toMs, behind });
  }
  return undefined;
}

/** The changes of a key and of its tenant, and the verifications of the key meanwhile. */
export interface History {
  readonly changes: readonly (Change & { readonly verb: Verb })[];
  readonly seen: readonly Verification[];
}

const KEY_STATUSES = { revoke: "revoked", disable: "disabled", enable: "active" } as const;
const TENANT_STATUSES = { suspend: "suspended", resume: "active" } as const;
const STATUSES = { ...KEY_STATUSES, ...TENANT_STATUSES };
export type Verb = keyof typeof STATUSES;

/** In turn: first of the key, then of its tenant. */
const TURNS = ["disable", "suspend", "enable", "resume"] as const;

/**
 * Disables and enables a key, and suspends and resumes its tenant, `count` changes in all. Revokes the key last. `change`
 * returns when it was acknowledged.
 */
export async function changeInTurn(
  count: number,
  change: (verb: Verb, n: number) => Promise<Span>,
): Promise<History["changes"]> {
  const changes: (Change & { verb: Verb })[] = [];
  for (let n = 0; n < count; n++) {
    const verb = n === count - 1 ? "revoke" : (TURNS[n % TURNS.length] ?? "disable");
    changes.push({ verb, status: STATUSES[verb], ...(await change(verb, n)) });
  }
  return changes;
}

type Span = Pick<Change, "fromMs" | "toMs">;

/** Of how many keys, and of how many tenants, no order explains what was seen. */
export interface Unexplained {
  keys: number;
  tenants: number;
}

/**
 * Records the histories of `keys` active keys of a tenant each, four at a time. A history is linearizable if what was seen
 * of the key is, and what was seen of the tenant.
 */
export async function countUnexplained(keys: number, record: () => Promise<History>): Promise<Unexplained> {
  const unexplained: Unexplained = { keys: 0, tenants: 0 };
  for (let n = 0; n < keys; n += 4) {
    const histories = await Promise.all(Array.from({ length: 4 }, record));
    for (const { changes, seen } of histories) {
      if (seen.length <= changes.length) throw new Error("too few observations of a key to prove anything");
      const ofTenant = changes.filter(({ verb }) => verb in TENANT_STATUSES);
      const ofKey = changes.filter(({ verb }) => verb in KEY_STATUSES);
      const tenantSeen = seen.map(({ tenantStatus, fromMs, toMs }) => ({ status: tenantStatus, fromMs, toMs }));
      if (firstUnexplained("active", ofKey, seen) !== undefined) unexplained.keys += 1;
      if (firstUnexplained("active", ofTenant, tenantSeen) !== undefined) unexplained.tenants += 1;
    }
  }
  return unexplained;
}
