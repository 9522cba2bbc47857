/**
 * The times of the protocol in ms (ADR 22). All replicas of a database must agree on `lease` and `bound`: a release that
 * changes one of them says so.
 */
export interface Times {
  /** How long a lease is valid, the margin for clocks of different rates already taken off. */
  readonly lease: number;
  /**
   * When a lease that began before a change has ended for certain. Far above `lease`, because a machine may be suspended;
   * it is waited for only where a replica died, or after the server was restarted or replaced.
   */
  readonly bound: number;
  /** Between looks that nothing causes. */
  readonly poll: number;
  /** Between renewals. */
  readonly renewal: number;
  /** How long a change waits for its mark to be seen before it is committed. Two polls, where no notification arrives. */
  readonly mark: number;
  /** Between readings of the list while a change waits. */
  readonly wait: number;
}

export const TIMES: Times = { lease: 2_700, bound: 6_000, poll: 150, renewal: 1_000, mark: 400, wait: 3 };

/** After which a mark counts no more. */
export const MARK_LIFE_MS = 60_000;
/**
 * After which a change may not begin its transaction any more. It commits well before its mark counts no more: statements
 * end after 4 s, waits for locks after 3 s, idle transactions after 10 s.
 */
export const MARK_USE_MS = 30_000;
