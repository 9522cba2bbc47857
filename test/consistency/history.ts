/** A change of one key: from the instant it was asked for to its acknowledgement. */
export interface Change {
  /** What a verification answers from then on. */
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A verification: when it took place, and what it answered. */
export interface Observation {
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Whether every observation is explained by one order of all changes and observations that keeps to real time: what
 * ended before something began comes before it. Answers the first observation that is not.
 *
 * The changes follow each other, so they have an order already, and an observation stands behind a number of them. It
 * is given the smallest number that its answer allows and that nothing before it exceeds: a smaller one never rules out
 * what comes later, so if this fails, everything does.
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

/** What was done to one key, and what was seen of it meanwhile. */
export interface History {
  readonly changes: readonly Change[];
  readonly seen: readonly Observation[];
}

const STATUSES = { revoke: "revoked", disable: "disabled", enable: "active" } as const;
export type Verb = keyof typeof STATUSES;

/** Turns a key off and on `count` times in all, and for good at last. `change` answers when it was acknowledged. */
export async function changeInTurn(count: number, change: (verb: Verb, n: number) => Promise<Span>): Promise<Change[]> {
  const changes: Change[] = [];
  for (let n = 0; n < count; n++) {
    const verb = n === count - 1 ? "revoke" : n % 2 === 0 ? "disable" : "enable";
    changes.push({ status: STATUSES[verb], ...(await change(verb, n)) });
  }
  return changes;
}

type Span = Pick<Change, "fromMs" | "toMs">;

/** Records the histories of `keys` active keys, four at a time, and counts those that no order explains. */
export async function countUnexplained(keys: number, record: () => Promise<History>): Promise<number> {
  let unexplained = 0;
  for (let n = 0; n < keys; n += 4) {
    const histories = await Promise.all(Array.from({ length: 4 }, record));
    for (const { changes, seen } of histories) {
      if (seen.length <= changes.length) throw new Error("too little was seen of a key to tell anything");
      if (firstUnexplained("active", changes, seen) !== undefined) unexplained += 1;
    }
  }
  return unexplained;
}
