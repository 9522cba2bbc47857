import { type Clocks, type Instant, OWN_CLOCKS } from "../store/replicas/lease.ts";

/** The right of an edge to use its records: what is left of its replica's lease. */
export interface EdgeLease {
  /** Compare it in the step that looks up a record. */
  isHeld(): boolean;
  /** In ms, 0 if it is not held. */
  leftMs(): number;
  /** Counts from when the edge asked. */
  granted(asked: Instant, leftMs: number): void;
  /** A new stream begins: what an earlier one granted is over, with its records. */
  end(): void;
}

export function createEdgeLease(clocks: Clocks = OWN_CLOCKS): EdgeLease {
  let untilMonotonicMs = Number.NEGATIVE_INFINITY;
  let untilWallMs = Number.NEGATIVE_INFINITY;
  const leftMs = (): number =>
    Math.max(0, Math.min(untilMonotonicMs - clocks.monotonicMs(), untilWallMs - clocks.wallMs()));

  return {
    isHeld: () => clocks.monotonicMs() < untilMonotonicMs && clocks.wallMs() < untilWallMs,
    leftMs,
    granted(asked, granted) {
      // An answer that was overtaken ends no lease: what it was based on is true all the same.
      if (asked.monotonicMs + granted <= untilMonotonicMs) return;
      untilMonotonicMs = asked.monotonicMs + granted;
      untilWallMs = asked.wallMs + granted;
    },
    end() {
      untilMonotonicMs = Number.NEGATIVE_INFINITY;
      untilWallMs = Number.NEGATIVE_INFINITY;
    },
  };
}
