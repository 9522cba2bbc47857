import { type PromisedState, targetOf } from "../../domain/lost-changes/promised-state.ts";
import type { Subject } from "./invalidation.ts";

/** A change that callers were promised, as the database lists it. */
export interface PromisedChange {
  readonly changeId: string;
  readonly madeMs: number;
  /** Null: the change has nothing that could be made again, or its release did not list that. */
  readonly promise: Promised | null;
}

export interface Promised {
  readonly subject: Subject;
  readonly state: PromisedState;
  /** Of the call that made the change. */
  readonly requestId: string;
}

/** Changes of one target that a server lacks. */
export interface LostChange {
  readonly changeIds: readonly string[];
  /** Of the calls that made them. */
  readonly requestIds: readonly string[];
  /** When the last of them was made. */
  readonly madeMs: number;
  /** Of the last one, which says all. Null: there is nothing to make again. */
  readonly promise: Promised | null;
}

/** For which a process remembers changes. */
const REMEMBERED_MS = 15 * 60_000;
/** For which it keeps older ones, which show that a server lacks nothing from before. */
const KEPT_MS = REMEMBERED_MS + 60_000;
const CHANGES_MAX = 20_000;

/**
 * The promised changes of the last 15 minutes that this process saw. Each listed replica has seen a change before it is answered, so
 * that what one of them remembers is enough (ADR 63). Times are those of the server.
 */
export class PromisedChanges {
  /** In about the order of their times. */
  readonly #changes = new Map<string, PromisedChange>();

  get ids(): readonly string[] {
    return [...this.#changes.keys()];
  }

  add(seen: readonly PromisedChange[], nowMs: number): void {
    for (const change of inOrder(seen)) this.#changes.set(change.changeId, change);
    this.#forget(nowMs - KEPT_MS);
  }

  /** The calls whose changes a server has that lacks these, as far as they take rights away. */
  requestsBut(missing: ReadonlySet<string>): Set<string> {
    const had = [...this.#changes.values()].filter(({ changeId }) => !missing.has(changeId));
    return new Set(had.flatMap(({ promise }) => (promise === null ? [] : [promise.requestId])));
  }

  /** What a server lacks that lacks these, by target. Undefined: it may lack more than is remembered. */
  lost(missing: ReadonlySet<string>, nowMs: number): readonly LostChange[] | undefined {
    const lost = [...this.#changes.values()].filter(({ changeId }) => missing.has(changeId));
    const [oldest = ""] = this.#changes.keys();
    const isCut = this.#changes.size === CHANGES_MAX && missing.has(oldest);
    if (isCut || lost.some(({ madeMs }) => madeMs < nowMs - REMEMBERED_MS)) return undefined;
    return byTarget(inOrder(lost));
  }

  /** The newest of those that are too old stays: a server without it lacks more than is remembered. */
  #forget(beforeMs: number): void {
    let older: string | undefined;
    for (const [changeId, { madeMs }] of this.#changes) {
      if (madeMs >= beforeMs && this.#changes.size <= CHANGES_MAX) break;
      if (older !== undefined) this.#changes.delete(older);
      older = changeId;
    }
  }
}

function inOrder(changes: readonly PromisedChange[]): readonly PromisedChange[] {
  return changes.toSorted((one, other) => one.madeMs - other.madeMs);
}

interface Lists {
  readonly changeIds: string[];
  readonly requestIds: string[];
}

function byTarget(lost: readonly PromisedChange[]): readonly LostChange[] {
  const targets = new Map<string, LostChange & Lists>();
  for (const { changeId, madeMs, promise } of lost) {
    const target = promise === null ? "" : targetOf(promise.state);
    const { changeIds, requestIds }: Lists = targets.get(target) ?? { changeIds: [], requestIds: [] };
    // Copies of the lists would take two seconds for as many changes as are remembered.
    changeIds.push(changeId);
    if (promise !== null) requestIds.push(promise.requestId);
    targets.set(target, { changeIds, requestIds, madeMs, promise });
  }
  return [...targets.values()];
}
