import type { History } from "./known-history.ts";
import { type Clocks, OWN_CLOCKS } from "./lease.ts";

/** How far the history of a database goes, as some process has followed it. */
export interface Position {
  readonly system: string;
  /** The newest promised change. Null: there was none. */
  readonly newest: string | null;
  readonly timeline: number;
}

/** Keeps a text outside of the database, for all processes. It begins with its rank. Every method may throw `StoreUnavailable`. */
export interface KeptText {
  /** Null: no position. */
  read(): Promise<string | null>;
  /** Replaces the text for `lifeMs`, if it still is `before`, or has a lower rank than `after`. */
  replace(before: string | null, after: string, lifeMs: number): Promise<void>;
}

/** What a process without memory learns the history from, and one whose connections all lead to an old primary (ADR 62). */
export interface SharedHistory {
  /**
   * The newest position of any process: as it was read during the look before, so that a look does not wait for it, unless that is long
   * ago. Undefined: none is kept, or it cannot be reached. Never rejects.
   */
  newest(): Promise<Position | undefined>;
  /** Call it after each look that was followed. */
  followed(history: History): void;
}

/** Less than for which the database keeps the ids of changes after a newer one was made. */
const LIFE_MS = 12 * 3_600_000;
const REFRESH_MS = 3_600_000;
/**
 * A position that was read longer ago is read again before the look. With the lease that is less than a change waits for on a new
 * server, so no process uses an old primary by then.
 */
const FRESH_MS = 1_000;

/** `system` identifies the cluster of the database, and the text names only the database. */
export function shareHistory(
  kept: KeptText,
  system: string,
  clocks: Pick<Clocks, "monotonicMs"> = OWN_CLOCKS,
): SharedHistory {
  /** Undefined: it could not be read. */
  let text: string | null | undefined;
  let reading: Promise<void> | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  let writtenMs = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    const sentMs = clocks.monotonicMs();
    text = await kept.read().catch(() => undefined);
    reading = undefined;
    readMs = text === undefined ? clocks.monotonicMs() : sentMs;
  }

  return {
    async newest() {
      reading ??= read();
      if (clocks.monotonicMs() - readMs >= FRESH_MS) await reading;
      return positionOf(system, text ?? "");
    },
    followed(history) {
      const { newest, timeline } = history;
      if (text === undefined || history.system !== system || timeline === null) return;
      const after = textOf({ system, newest, timeline });
      const nowMs = clocks.monotonicMs();
      if (after === text && nowMs - writtenMs < REFRESH_MS) return;
      writtenMs = nowMs;
      // If another process was faster, or it fails, the next reading shows what there is.
      kept.replace(text, after, LIFE_MS).catch(() => undefined);
      text = after;
    },
  };
}

function textOf({ newest, timeline }: Position): string {
  return `${timeline} ${newest ?? ""}`;
}

const POSITION = /^(\d{1,10}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/;

/** Undefined for what no process has written. */
function positionOf(system: string, text: string): Position | undefined {
  const [, timeline, newest = null] = POSITION.exec(text) ?? [];
  return timeline === undefined ? undefined : { system, newest, timeline: Number(timeline) };
}
