import { randomUUID } from "node:crypto";
import type { Following, ToEdge } from "../../domain/edges/following.ts";
import type { Subject } from "./invalidation.ts";
import { type Clocks, OWN_CLOCKS } from "./lease.ts";
import type { RecordCache } from "./record-cache.ts";

/**
 * Taken off what an edge may use of its lease, for clocks of different rates: its own and this process'. The replica waits for
 * the whole.
 */
const MARGIN_MS = 200;
/** For how long an edge may leave messages without acknowledging any: then its stream is ended. */
const SILENT_MS = 10_000;
/** An edge with more subjects to drop than this drops all records, so that their number stays bounded. */
const HELD_MAX = 60_000;

export interface FollowersOptions {
  /** For how many ms this process may use its own records. */
  readonly leaseLeftMs: () => number;
  /** Called when more of what edges were sent is acknowledged, or can no longer matter. */
  readonly onSettled?: () => void;
  readonly clocks?: Pick<Clocks, "monotonicMs">;
}

/** The edges of this process, whose records count as its own. */
export interface Followers extends Following {
  /** The same calls as the cache gets, in the same step. */
  readonly cache: Pick<RecordCache, "drop" | "mark" | "unmark" | "clear" | "restrict">;
  /** The number of the last message to any edge. */
  readonly sent: number;
  /** All messages up to this one are acknowledged, or were to edges whose leases have ended. */
  settled(): number;
  /** Resolves when all that was sent so far is settled. */
  untilSettled(): Promise<void>;
  readonly count: number;
  /** Has all edges drop what they have, and grants no more leases. Resolves when that is settled. */
  close(): Promise<void>;
}

/** A message that an edge has not acknowledged. */
interface OpenMessage {
  readonly number: number;
  /** When the lease ends that the edge was granted before. A later one reaches it after the message, since their order is kept. */
  readonly untilMs: number;
}

interface Edge {
  readonly edgeId: string;
  readonly send: (message: ToEdge) => void;
  readonly end: () => void;
  readonly held: Set<Subject>;
  /** Until when it may use records, by the clock of this process. */
  leaseUntilMs: number;
  /** The messages whose acknowledgement is awaited, in order. */
  open: OpenMessage[];
  acknowledged: number;
  /** The last message that it was sent. */
  sent: number;
  /** Since when it has acknowledged nothing of what it was sent. Undefined: it has acknowledged all. */
  silentSinceMs: number | undefined;
  hasLeft: boolean;
}

/** Tells the edges of this process what its cache drops. */
export function createFollowers(
  own: Pick<RecordCache, "drop" | "mark" | "unmark" | "isMarked" | "clear" | "restrict">,
  { leaseLeftMs, onSettled = () => {}, clocks = OWN_CLOCKS }: FollowersOptions,
): Followers {
  const edges = new Map<string, Edge>();
  let sent = 0;
  let isClosing = false;
  let waiters: { readonly upTo: number; readonly resolve: () => void }[] = [];
  let timer: NodeJS.Timeout | undefined;

  let announced = 0;

  function tell(edge: Edge, message: { kind: "drop"; subjects: readonly Subject[] } | { kind: "drop_all" }): void {
    sent += 1;
    edge.sent = sent;
    edge.open.push({ number: sent, untilMs: edge.leaseUntilMs });
    edge.silentSinceMs ??= clocks.monotonicMs();
    if (!edge.hasLeft) edge.send({ ...message, number: sent });
  }

  function drop(subject: Subject): void {
    for (const edge of edges.values()) {
      if (edge.held.delete(subject)) tell(edge, { kind: "drop", subjects: [subject] });
    }
  }

  function dropAll(): void {
    for (const edge of edges.values()) {
      edge.held.clear();
      tell(edge, { kind: "drop_all" });
    }
  }

  function endStream(edge: Edge): void {
    if (edge.hasLeft) return;
    edge.hasLeft = true;
    edge.end();
  }

  function settled(): number {
    const nowMs = clocks.monotonicMs();
    let upTo = sent;
    for (const edge of edges.values()) {
      while (edge.open[0] !== undefined && edge.open[0].untilMs <= nowMs) edge.open.shift();
      const [first] = edge.open;
      if (first !== undefined) upTo = Math.min(upTo, first.number - 1);
      if (edge.silentSinceMs !== undefined && nowMs - edge.silentSinceMs >= SILENT_MS) endStream(edge);
      if (edge.hasLeft && edge.leaseUntilMs <= nowMs) edges.delete(edge.edgeId);
    }
    return upTo;
  }

  /** Answers those who wait. Looks again when the first lease ends that they wait for. */
  function notify(): void {
    clearTimeout(timer);
    timer = undefined;
    const upTo = settled();
    for (const waiter of waiters) if (waiter.upTo <= upTo) waiter.resolve();
    waiters = waiters.filter((waiter) => waiter.upTo > upTo);
    if (upTo > announced) {
      announced = upTo;
      onSettled();
    }
    if (waiters.length === 0) return;
    const ends = [...edges.values()].flatMap(({ open }) => open.slice(0, 1)).map(({ untilMs }) => untilMs);
    timer = setTimeout(notify, Math.max(1, Math.min(...ends) - clocks.monotonicMs()));
  }

  function untilSettled(): Promise<void> {
    return new Promise((resolve) => {
      waiters.push({ upTo: sent, resolve });
      notify();
    });
  }

  return {
    follow(send, end) {
      const edge: Edge = {
        edgeId: randomUUID(),
        send,
        end,
        held: new Set(),
        leaseUntilMs: clocks.monotonicMs(),
        open: [],
        acknowledged: sent,
        sent,
        silentSinceMs: undefined,
        hasLeft: false,
      };
      edges.set(edge.edgeId, edge);
      return {
        edgeId: edge.edgeId,
        grant() {
          const leftMs = isClosing || edge.hasLeft ? 0 : Math.floor(leaseLeftMs());
          if (leftMs <= MARGIN_MS) return 0;
          edge.leaseUntilMs = Math.max(edge.leaseUntilMs, clocks.monotonicMs() + leftMs);
          return leftMs - MARGIN_MS;
        },
        acknowledge(number) {
          // It cannot have dropped a subject that it was not sent.
          const upTo = Math.min(number, edge.sent);
          if (edge.hasLeft || !(upTo > edge.acknowledged)) return;
          edge.acknowledged = upTo;
          edge.open = edge.open.filter((message) => message.number > upTo);
          edge.silentSinceMs = upTo === edge.sent ? undefined : clocks.monotonicMs();
          notify();
        },
        leave() {
          edge.hasLeft = true;
          notify();
        },
      };
    },
    hold(edgeId, subject) {
      const edge = edges.get(edgeId);
      // While closing, no change would be sent of what is read after all was dropped: the earlier lease may still last.
      if (isClosing || edge === undefined || edge.hasLeft || own.isMarked(subject)) return false;
      if (edge.held.size >= HELD_MAX) {
        edge.held.clear();
        tell(edge, { kind: "drop_all" });
      }
      edge.held.add(subject);
      return true;
    },
    // Its own record first: an edge that asks afterwards must not get the old one.
    cache: {
      drop(subject) {
        own.drop(subject);
        drop(subject);
      },
      mark(subject, markId) {
        own.mark(subject, markId);
        drop(subject);
      },
      unmark: (subject, markId) => own.unmark(subject, markId),
      clear() {
        own.clear();
        dropAll();
      },
      restrict(restrictions) {
        own.restrict(restrictions);
        dropAll();
      },
    },
    get sent() {
      return sent;
    },
    settled,
    untilSettled,
    get count() {
      return edges.size;
    },
    async close() {
      isClosing = true;
      dropAll();
      await untilSettled();
      for (const edge of edges.values()) endStream(edge);
      edges.clear();
    },
  };
}
