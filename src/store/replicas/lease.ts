/** The clocks of this process, in ms. */
export interface Clocks {
  /** Counts durations. It may stand still while the machine is suspended. */
  readonly monotonicMs: () => number;
  /** Usually jumps on after that. Only its steps forward matter. */
  readonly wallMs: () => number;
}

export const OWN_CLOCKS: Clocks = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };

/** An instant by both clocks. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

const NEVER: Instant = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };

export function instantOf({ monotonicMs, wallMs }: Clocks): Instant {
  return { monotonicMs: monotonicMs(), wallMs: wallMs() };
}

/** The right of this process to use its cached records. */
export interface Lease {
  /**
   * Compare it at each use, in the step that reads the cache: an earlier result, or a timer, may be late by as long as the
   * process was stopped.
   */
  isHeld(): boolean;
  /** For how many ms it is held from now on, 0 if it is not. */
  leftMs(): number;
  /** Counts from when the statement was sent whose result is known now. */
  looked(sent: Instant): void;
  renewed(sent: Instant): void;
  /** Ends the lease until the next look and the next renewal. */
  end(): void;
}

/** Both the last look and the last renewal must be recent (ADR 22): a replica that does not renew is removed from the list. */
export function createLease(leaseMs: number, clocks: Clocks = OWN_CLOCKS): Lease {
  let look: Instant | undefined;
  let renewal: Instant | undefined;
  let untilMonotonicMs = Number.NEGATIVE_INFINITY;
  let untilWallMs = Number.NEGATIVE_INFINITY;

  function compute(): void {
    const [one, other] = [look ?? NEVER, renewal ?? NEVER];
    untilMonotonicMs = Math.min(one.monotonicMs, other.monotonicMs) + leaseMs;
    untilWallMs = Math.min(one.wallMs, other.wallMs) + leaseMs;
  }

  return {
    isHeld: () => clocks.monotonicMs() < untilMonotonicMs && clocks.wallMs() < untilWallMs,
    leftMs: () => Math.max(0, Math.min(untilMonotonicMs - clocks.monotonicMs(), untilWallMs - clocks.wallMs())),
    looked(sent) {
      look = sent;
      compute();
    },
    renewed(sent) {
      renewal = sent;
      compute();
    },
    end() {
      look = undefined;
      renewal = undefined;
      compute();
    },
  };
}
