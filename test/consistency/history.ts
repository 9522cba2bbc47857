/** A change of one key: from its request to its acknowledgement. */
export interface Change {
  /** What verifications return from then on. */
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A verification: when it took place, and what it returned. */
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
  const placed: { readonly toMs: number; readonly behind: number }[] = [];
  for (const observation of observations.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const { status, fromMs, toMs } = observation;
    const acknowledged = changes.filter((change) => change.toMs < fromMs).length;
    const begun = changes.filter((change) => change.fromMs <= toMs).length;
    const seen = Math.max(0, ...placed.filter((earlier) => earlier.toMs < fromMs).map(({ behind }) => behind));
    const behind = statuses.findIndex((one, n) => n >= Math.max(acknowledged, seen) && n <= begun && one === status);
    if (behind < 0) return observation;
    placed.push({ toMs, behind });
  }
  return undefined;
}

/** The changes of one key, and the observations of it meanwhile. */
export interface History {
  readonly changes: readonly Change[];
  readonly seen: readonly Observation[];
}

const STATUSES = { revoke: "revoked", disable: "disabled", enable: "active" } as const;
export type Verb = keyof typeof STATUSES;

/**
 * Disables and enables a key, `count` changes in all, and revokes it last. `change` returns when it was acknowledged.
 */
export async function changeInTurn(count: number, change: (verb: Verb, n: number) => Promise<Span>): Promise<Change[]> {
  const changes: Change[] = [];
  for (let n = 0; n < count; n++) {
    const verb = n === count - 1 ? "revoke" : n % 2 === 0 ? "disable" : "enable";
    changes.push({ status: STATUSES[verb], ...(await change(verb, n)) });
  }
  return changes;
}

type Span = Pick<Change, "fromMs" | "toMs">;

/**
 * Records the histories of `keys` active keys, four at a time, and returns the number of those that no order explains.
 */
export async function countUnexplained(keys: number, record: () => Promise<History>): Promise<number> {
  let unexplained = 0;
  for (let n = 0; n < keys; n += 4) {
    const histories = await Promise.all(Array.from({ length: 4 }, record));
    for (const { changes, seen } of histories) {
      if (seen.length <= changes.length) throw new Error("too few observations of a key to prove anything");
      if (firstUnexplained("active", changes, seen) !== undefined) unexplained += 1;
    }
  }
  return unexplained;
}
