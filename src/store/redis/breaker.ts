import { StoreUnavailable } from "../../domain/store-unavailable.ts";

/** Failures in a row after which nothing more is asked of a node for a while. */
const FAILURES_MAX = 3;
/** Time between two probes of a node that is away. One caller waits for each of them, the others for none. */
const PROBE_MS = 250;
/** A node that nobody asked for so long has no keys any more: its slots moved to another one. */
const FORGOTTEN_MS = 60_000;

/** Stands for Redis as a whole: there is one node only, or it is not known yet which there are. */
export const WHOLE = "";

export interface Breaker {
  /**
   * Runs a command, or fails at once while the node it is for is away. Passes on `StoreUnavailable`, the only failure it
   * counts. `hashTag` is that of the command's Redis keys, braces included.
   */
  run<T>(hashTag: string, command: () => Promise<T>): Promise<T>;
  /** Takes Redis for away until it answers: for a start without it. */
  trip(cause: unknown): void;
}

export interface BreakerChange {
  /** `host:port` of a cluster's node; undefined is Redis as a whole. */
  readonly node: string | undefined;
  readonly isUp: boolean;
  /** Whether no node is away now. */
  readonly allUp: boolean;
  /** Why it is away. */
  readonly cause: unknown;
}

export interface BreakerContext {
  /** Milliseconds of a clock that never steps. */
  readonly monotonicMs: () => number;
  /** The node that a command for these keys would be sent to. Default: there is only one. */
  readonly nodeOf?: (hashTag: string) => string | undefined;
  /** Called once for each change of a node between up and away. */
  readonly onChange: (change: BreakerChange) => void;
}

interface Trouble {
  failures: number;
  nextProbeMs: number;
  lastAskedMs: number;
}

/**
 * Keeps a hanging Redis from costing every request its full time limit.
 *
 * Each node of a cluster is judged by itself. With one verdict for all, the answers of the others would hide a node that
 * hangs, and each of its callers would wait; or its failures would take their limits away from the others' callers.
 */
export function createBreaker({ monotonicMs, nodeOf = () => undefined, onChange }: BreakerContext): Breaker {
  /** By node. One whose last command succeeded is not in it. */
  const troubles = new Map<string, Trouble>();

  function report(node: string, isUp: boolean, cause?: unknown): void {
    const allUp = !Array.from(troubles.values()).some(isAway);
    onChange({ node: node === WHOLE ? undefined : node, isUp, allUp, cause });
  }

  function end(node: string): void {
    const trouble = troubles.get(node);
    troubles.delete(node);
    if (trouble !== undefined && isAway(trouble)) report(node, true);
  }

  function succeed(node: string): void {
    if (troubles.size === 0) return;
    end(node);
    // An answer of any node ends a time in which none was known.
    end(WHOLE);
    const forgottenMs = monotonicMs() - FORGOTTEN_MS;
    for (const [other, { lastAskedMs }] of troubles) if (lastAskedMs < forgottenMs) end(other);
  }

  function fail(node: string, err: unknown): void {
    const nowMs = monotonicMs();
    const trouble = troubles.get(node) ?? { failures: 0, nextProbeMs: 0, lastAskedMs: nowMs };
    troubles.set(node, trouble);
    trouble.failures += 1;
    trouble.nextProbeMs = nowMs + PROBE_MS;
    if (trouble.failures === FAILURES_MAX) report(node, false, err);
  }

  /** Whether the command may be sent. If so while the node is away, its caller probes, and nobody else until then. */
  function admits(node: string): boolean {
    const trouble = troubles.get(node);
    if (trouble === undefined) return true;
    const nowMs = monotonicMs();
    trouble.lastAskedMs = nowMs;
    if (!isAway(trouble)) return true;
    if (nowMs < trouble.nextProbeMs) return false;
    trouble.nextProbeMs = nowMs + PROBE_MS;
    return true;
  }

  return {
    async run(hashTag, command) {
      const node = nodeOf(hashTag) ?? WHOLE;
      if (!admits(node)) throw new StoreUnavailable("the breaker is open");
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
      troubles.set(WHOLE, { failures: FAILURES_MAX, nextProbeMs: nowMs + PROBE_MS, lastAskedMs: nowMs });
      report(WHOLE, false, cause);
    },
  };
}

function isAway({ failures }: Trouble): boolean {
  return failures >= FAILURES_MAX;
}
