import { createEdgeLease, type EdgeLease } from "../../src/edge/lease.ts";
import { createFollowers, type Followers, type FollowersOptions } from "../../src/store/replicas/followers.ts";
import { type Clocks, instantOf } from "../../src/store/replicas/lease.ts";
import { createRecordCache, type RecordCache, type RecordCacheOptions } from "../../src/store/replicas/record-cache.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import { PROTOCOLS } from "./protocols.ts";

/** The real protocol between replicas and edges, and the same with one mistake each, which these tests must find. */
export interface EdgeProtocol {
  readonly followers: (own: RecordCache, options: FollowersOptions) => Followers;
  readonly lease: (clocks: Clocks) => EdgeLease;
  /** Of the edge. */
  readonly cache: (options: RecordCacheOptions) => RecordCache;
  /** Whether a replica has an edge hold a record before it reads it. */
  readonly holdsFirst: boolean;
  /** Whether a replica that leaves waits for its edges before it removes its row. */
  readonly closesFirst: boolean;
  /** Whether edges are sent what the cache drops in the same step, or with the next look. */
  readonly sendsAtOnce: boolean;
}

const EDGES: EdgeProtocol = {
  followers: createFollowers,
  lease: createEdgeLease,
  cache: createRecordCache,
  holdsFirst: true,
  closesFirst: true,
  sendsAtOnce: true,
};

export const EDGE_PROTOCOLS = {
  edges: EDGES,
  /** A replica publishes what it has seen without its edges. */
  waitsForNone: { ...EDGES, followers: createWithoutWaits },
  /** Edges are sent a drop after the look that has it was published. */
  sendsAfterSeen: { ...EDGES, sendsAtOnce: false },
  /** An edge whose stream has ended is not waited for. */
  forgetsWhoLeft: { ...EDGES, followers: createForgetful },
  /** An edge gets a whole lease, instead of what is left of its replica's. */
  grantsWholeLeases: {
    ...EDGES,
    followers: (own, options) => createFollowers(own, { ...options, leaseLeftMs: () => TIMES.lease }),
  },
  /** A lease counts from the answer, instead of the question. */
  countsFromAnswer: { ...EDGES, lease: createLateLease },
  /** An edge keeps its records when it begins to follow another replica, or the same one again. */
  keepsRecords: { ...EDGES, cache: (options) => ({ ...createRecordCache(options), clear: () => {} }) },
  /** An answer fills an edge's cache although the record was dropped since the edge asked. */
  fillsWithoutNote: { ...EDGES, cache: PROTOCOLS.fillsWithoutNote.cache },
  /** A replica reads a record before the edge holds it. */
  readsFirst: { ...EDGES, holdsFirst: false },
  /** A replica that leaves removes its row before its edges' leases have ended. */
  leavesFirst: { ...EDGES, closesFirst: false },
} satisfies Record<string, EdgeProtocol>;

export type EdgeProtocolName = keyof typeof EDGE_PROTOCOLS;

function createWithoutWaits(own: RecordCache, options: FollowersOptions): Followers {
  const followers = createFollowers(own, options);
  return { ...followers, settled: () => Number.MAX_SAFE_INTEGER };
}

/** For the one edge of the test. */
function createForgetful(own: RecordCache, options: FollowersOptions): Followers {
  const followers = createFollowers(own, options);
  let hasLeft = false;
  return {
    ...followers,
    follow(send, end) {
      const follower = followers.follow(send, end);
      hasLeft = false;
      return {
        ...follower,
        leave() {
          hasLeft = true;
          follower.leave();
        },
      };
    },
    settled: () => (hasLeft ? Number.MAX_SAFE_INTEGER : followers.settled()),
  };
}

function createLateLease(clocks: Clocks): EdgeLease {
  const lease = createEdgeLease(clocks);
  return { ...lease, granted: (_, leftMs) => lease.granted(instantOf(clocks), leftMs) };
}
