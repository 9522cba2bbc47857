import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";

/** Failures in a row after which a node is away: commands to it fail at once. */
const FAILURES_MAX = 3;
/** Time between two probes of a node that is away. One caller waits for each probe, the others fail at once. */
const PROBE_MS = 250;
/** A node that got no command for so long serves no slots any more: they have moved to other nodes. */
const UNUSED_MS = 60_000;

/** Stands for all of Redis: there is only one node, or the nodes are not known yet. */
const ALL_NODES = "";

export interface Breaker {
  /**
   * Runs a command, or rejects with `StoreUnavailable` at once while its node is away. Counts only failures that are
   * `StoreUnavailable`, and rethrows all. `hashTag` is that of the command's Redis keys, with braces.
   */
  run<T>(hashTag: string, command: () => Promise<T>): Promise<T>;
  /** Marks Redis as away until a command succeeds: for a start without Redis. */
  trip(cause: unknown): void;
}

export interface BreakerChange {
  /** `host:port` of a cluster's node; undefined for all of Redis. */
  readonly node: string | undefined;
  readonly isUp: boolean;
  /** Whether no node is away now. */
  readonly allUp: boolean;
  /** Why it is away. */
  readonly cause: unknown;
}

export interface BreakerContext {
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs: () => number;
  /** The node to which a command with this hash tag would be sent. Default: there is only one node. */
  readonly nodeOf?: (hashTag: string) => string | undefined;
  /** Called once for each change of a node between up and away. */
  readonly onChange: (change: BreakerChange) => void;
}

interface NodeFailures {
  failures: number;
  nextProbeMs: number;
  lastUsedMs: number;
}

/**
 * A circuit breaker: without it, each request would wait for its full time limit while Redis hangs.
 *
 * Each node of a cluster has its own state. With one state for all, either the replies of the other nodes would hide a
 * node that hangs, and each of its callers would wait; or its failures would take the shared limits away from all
 * callers.
 */
export function createBreaker({ monotonicMs, nodeOf = () => undefined, onChange }: BreakerContext): Breaker {
  /** The nodes whose last command failed. */
  const failing = new Map<string, NodeFailures>();

  function report(node: string, isUp: boolean, cause?: unknown): void {
    const allUp = !Array.from(failing.values()).some(isAway);
    onChange({ node: node === ALL_NODES ? undefined : node, isUp, allUp, cause });
  }

  function recover(node: string): void {
    const state = failing.get(node);
    failing.delete(node);
    if (state !== undefined && isAway(state)) report(node, true);
  }

  function succeed(node: string): void {
    if (failing.size === 0) return;
    recover(node);
    // A reply of any node ends an outage that began before the nodes were known.
    recover(ALL_NODES);
    const unusedSinceMs = monotonicMs() - UNUSED_MS;
    for (const [other, { lastUsedMs }] of failing) if (lastUsedMs < unusedSinceMs) recover(other);
  }

  function fail(node: string, err: unknown): void {
    const nowMs = monotonicMs();
    const state = failing.get(node) ?? { failures: 0, nextProbeMs: 0, lastUsedMs: nowMs };
    failing.set(node, state);
    state.failures += 1;
    state.nextProbeMs = nowMs + PROBE_MS;
    if (state.failures === FAILURES_MAX) report(node, false, err);
  }

  /** Whether the command may be sent. While the node is away, one command in each interval may: it is the probe. */
  function allows(node: string): boolean {
    const state = failing.get(node);
    if (state === undefined) return true;
    const nowMs = monotonicMs();
    state.lastUsedMs = nowMs;
    if (!isAway(state)) return true;
    if (nowMs < state.nextProbeMs) return false;
    state.nextProbeMs = nowMs + PROBE_MS;
    return true;
  }

  return {
    async run(hashTag, command) {
      const node = nodeOf(hashTag) ?? ALL_NODES;
      if (!allows(node)) throw new StoreUnavailable("the breaker is open");
      try {
        const result = await command();
        succeed(node);
        return result;
      } catch (err) {
        if (err instanceof StoreUnavailable) fail(node, err);
        throw err;
      }
    },
    trip(cause) {
      const nowMs = monotonicMs();
      failing.set(ALL_NODES, { failures: FAILURES_MAX, nextProbeMs: nowMs + PROBE_MS, lastUsedMs: nowMs });
      report(ALL_NODES, false, cause);
    },
  };
}

function isAway({ failures }: NodeFailures): boolean {
  return failures >= FAILURES_MAX;
}
