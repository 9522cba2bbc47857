import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { type Channel, createChannel } from "../../src/domain/edges/channel.ts";
import { StoreUnavailable } from "../../src/domain/vocabulary/store-unavailable.ts";
import { createLink, type LinkOptions } from "../../src/edge/link.ts";
import { createEdgeRecords, type RecordsContext } from "../../src/edge/records.ts";
import { createLease } from "../../src/store/replicas/lease.ts";
import { createRecordCache } from "../../src/store/replicas/record-cache.ts";
import { LookingReplica } from "../../src/store/replicas/replica.ts";
import { isVisible, type Look, type ReplicaTable } from "../../src/store/replicas/replica-table.ts";
import { TIMES } from "../../src/store/replicas/times.ts";
import { resolvedKey } from "../harness/edge-messages.ts";
import { newKey } from "../store/records.ts";
import { EDGE_PROTOCOLS, type EdgeProtocolName } from "./edge-protocols.ts";
import { type Change, firstUnexplained, type Observation } from "./history.ts";

const STEP_MS = 20;
const KEY = "A".repeat(43);
/** The key. A trial follows its state in one member. */
const { record: RECORD } = newKey();

/** What happens in one trial, in ms since its beginning. Undefined: it does not happen. */
export interface Schedule {
  readonly changeMs: number;
  /** Of what the edge sends, and of what it is sent: of each message, in turn. */
  readonly delaysMs: readonly number[];
  /** From when to when nothing arrives at the edge. It all arrives then. */
  readonly stalled: readonly [number, number] | undefined;
  /** From when to when the edge does nothing. Then it verifies before it reads what has arrived. */
  readonly stopped: readonly [number, number] | undefined;
  /** When the stream breaks. */
  readonly brokenMs: number | undefined;
  /** From when to when the replica does not reach the database. */
  readonly outage: readonly [number, number] | undefined;
  /** When the replica leaves. */
  readonly leftMs: number | undefined;
  /** How long the replica's reads of the key take, in turn. */
  readonly readsMs: readonly number[];
  /** In which steps the edge's record is evicted, in turn. */
  readonly evictions: readonly boolean[];
}

const END_MS = 11_000;

type Follow = LinkOptions["client"]["follow"];
type Sent = Parameters<Follow>[0] extends AsyncIterable<infer Message> ? Message : never;
type Received = ReturnType<Follow> extends AsyncIterable<infer Message> ? Message : never;

/**
 * One key, one replica and its edge, with all messages and statements between them, on a clock that moves in steps. Returns the first
 * observation of the edge that no order of it and the change explains.
 */
export async function runSchedule(
  name: EdgeProtocolName,
  schedule: Schedule,
  tickTimers: (ms: number) => void,
): Promise<Observation | undefined> {
  const protocol = EDGE_PROTOCOLS[name];
  let nowMs = 0;
  const clocks = { monotonicMs: () => nowMs, wallMs: () => nowMs };
  const later: { readonly atMs: number; readonly run: () => void }[] = [];
  const at = (atMs: number, run: () => void): void => void later.push({ atMs, run });
  const inTurn = <Value>(values: readonly Value[], fallback: Value): (() => Value) => {
    let n = 0;
    return () => values[n++ % values.length] ?? fallback;
  };
  const isWithin = (span: readonly [number, number] | undefined): boolean =>
    span !== undefined && nowMs >= span[0] && nowMs < span[1];

  // The database.
  let xid = 10;
  let status = "active";
  const marks = new Map<string, string>();
  const changes: { readonly xid: number; readonly subject: string }[] = [];
  const rows = new Map<string, string | null>();
  const reached = <Value>(value: () => Value): Promise<Value> =>
    isWithin(schedule.outage) ? Promise.reject(new StoreUnavailable("away")) : Promise.resolve(value());
  const keepSeen = (id: string, snapshot: string): boolean => {
    const isThere = rows.has(id);
    if (isThere && snapshot !== "1:1:") rows.set(id, snapshot);
    return isThere;
  };
  const table: Pick<ReplicaTable, "register" | "leave" | "look" | "acknowledge" | "renew"> = {
    register: (id) => reached(() => void rows.set(id, null)),
    leave: (id) => reached(() => void rows.delete(id)),
    acknowledge: (id, { snapshot }) => reached(() => void keepSeen(id, snapshot)),
    renew: (id, { snapshot }) => reached(() => keepSeen(id, snapshot)),
    look: (id, since) =>
      reached((): Look => {
        const changed = changes.filter((one) => since === null || !isVisible(String(one.xid), since));
        return {
          ...{ snapshot: `${xid}:${xid}:`, server: "one", serverKnownMs: 60_000, nowMs, isListed: rows.has(id) },
          ...{ isAll: true, changed: changed.map(({ subject }) => subject), marks: new Map(marks) },
          ...{ usageQuestions: new Map(), areOthersMended: true, promised: [], events: [] },
          history: { hasNewest: true, newest: null, system: null, timeline: null },
        };
      }),
  };

  // The replica.
  const lease = createLease(TIMES.lease, clocks);
  const own = createRecordCache({ mayUse: lease.isHeld });
  const followers = protocol.followers(own, { leaseLeftMs: lease.leftMs, clocks });
  let unsent: (() => void)[] = [];
  const cache = protocol.sendsAtOnce
    ? followers.cache
    : {
        ...own,
        drop(subject: string) {
          own.drop(subject);
          unsent.push(() => followers.cache.drop(subject));
        },
        mark(subject: string, markId: string) {
          own.mark(subject, markId);
          unsent.push(() => followers.cache.drop(subject));
        },
      };
  const replica = new LookingReplica({ table: table as ReplicaTable, cache, lease, followers, clocks });
  const readMs = inTurn(schedule.readsMs, 0);
  const reads = own.inFrontOf({
    findKeyBySecretHash: () =>
      new Promise((resolve) => {
        const record = { ...RECORD, externalId: status };
        at(nowMs + readMs(), () => resolve(record));
      }),
  });
  let isLeaving = false;
  let hasLeft = false;

  // What is between them.
  const delayMs = inTurn(schedule.delaysMs, 0);
  const arriveMs = { toEdge: 0, toReplica: 0 };
  function arrival(way: keyof typeof arriveMs): number {
    const { stalled } = schedule;
    let atMs = nowMs + delayMs();
    if (way === "toEdge" && stalled !== undefined && atMs >= stalled[0] && atMs < stalled[1]) atMs = stalled[1];
    arriveMs[way] = Math.max(arriveMs[way], atMs);
    return arriveMs[way];
  }
  let breakStream = (): void => {};
  let isFollowed = false;
  const follow: Follow = (requests, { signal } = {}) => {
    const inbox: Channel<Received> = createChannel();
    let isBroken = false;
    isFollowed = true;
    const send = (message: object): void =>
      at(arrival("toEdge"), () => void (isBroken || inbox.put({ message } as Received)));
    const follower = followers.follow(
      ({ kind, number, ...rest }) => {
        const subjects = "subjects" in rest ? rest.subjects : [];
        send({ case: "drop", value: { number: BigInt(number), subjects, all: kind === "drop_all" } });
      },
      () => {},
    );
    send({ case: "welcome", value: { edgeId: follower.edgeId, rules: 1, settings: "{}" } });
    breakStream = () => {
      if (isBroken) return;
      isBroken = true;
      isFollowed = false;
      follower.leave();
      inbox.end();
    };
    signal?.addEventListener("abort", breakStream);
    void (async () => {
      for await (const { message } of requests as AsyncIterable<Sent>) {
        at(arrival("toReplica"), () => {
          if (message?.case === "askLease") {
            const value = { number: message.value?.number, leftMs: follower.grant(), nowMs: 0n };
            send({ case: "lease", value });
          }
          if (message?.case === "dropped") follower.acknowledge(Number(message.value?.number));
        });
      }
      // The service ends its side when the edge has ended its own.
      inbox.end();
    })();
    return inbox.messages;
  };
  // Another call than the stream: nothing orders their messages.
  const resolve: RecordsContext["client"]["resolve"] = (({ edgeId }: { edgeId: string }) =>
    new Promise((answer) => {
      at(nowMs + delayMs(), async () => {
        let mayKeep = protocol.holdsFirst && followers.hold(edgeId, KEY);
        const record = await reads.findKeyBySecretHash(KEY);
        if (!protocol.holdsFirst) mayKeep = followers.hold(edgeId, KEY);
        at(nowMs + delayMs(), () => answer(resolvedKey(record, mayKeep)));
      });
    })) as never;

  // The edge.
  const edgeLease = protocol.lease(clocks);
  const edgeCache = protocol.cache({ mayUse: edgeLease.isHeld });
  const link = createLink({
    ...{ client: { follow }, cache: edgeCache, lease: edgeLease, clocks },
    ...{ onWelcome: () => true, onChange: () => {}, onSilence: () => {} },
  });
  const records = createEdgeRecords({
    ...{ client: { resolve }, edgeId: () => link.edgeId, cache: edgeCache },
    clock: () => new Date(nowMs),
  });
  const observations: Observation[] = [];
  const isEvicted = inTurn(schedule.evictions, false);
  async function verify(): Promise<void> {
    if (!edgeLease.isHeld()) return;
    if (isEvicted()) edgeCache.drop(KEY);
    const fromMs = nowMs;
    const found = await records.keys.findKeyBySecretHash(KEY);
    observations.push({ status: found?.externalId ?? "", fromMs, toMs: nowMs });
  }

  // The change, as `lease-invalidation.ts` makes it.
  let change:
    | { readonly markXid: number; readonly fromMs: number; committedMs?: number; answeredMs?: number }
    | undefined;
  function advanceChange(): void {
    if (change === undefined) {
      if (nowMs < schedule.changeMs) return;
      change = { markXid: xid, fromMs: nowMs };
      marks.set("mark", KEY);
      xid += 1;
    }
    const { markXid, fromMs, committedMs } = change;
    const areAll = [...rows.values()].every((seen) => seen !== null && isVisible(String(markXid), seen));
    if (committedMs === undefined && (areAll || nowMs >= fromMs + TIMES.mark)) {
      change.committedMs = nowMs;
      status = "revoked";
      changes.push({ xid, subject: KEY });
      marks.clear();
      xid += 1;
    } else if (committedMs !== undefined) {
      if (areAll || nowMs >= committedMs + TIMES.bound) change.answeredMs ??= nowMs;
    }
  }

  async function advanceReplica(): Promise<void> {
    if (schedule.leftMs !== undefined && nowMs >= schedule.leftMs && !isLeaving) {
      isLeaving = true;
      if (protocol.closesFirst) void followers.close();
    }
    if (hasLeft) return;
    if (isLeaving && (!protocol.closesFirst || followers.settled() === followers.sent)) {
      hasLeft = true;
      lease.end();
      rows.clear();
      return;
    }
    for (const send of unsent.splice(0)) send();
    unsent = [];
    if (nowMs % 160 === 0) await replica.round().catch(() => undefined);
  }

  for (; nowMs < END_MS; nowMs += STEP_MS) {
    const isStopped = isWithin(schedule.stopped);
    if (!isStopped) void verify();
    if (schedule.brokenMs !== undefined && nowMs >= schedule.brokenMs && nowMs < schedule.brokenMs + STEP_MS)
      breakStream();
    // Of the clock of the trial, no time passes until the edge follows again.
    while (!isFollowed) await sleep(2);
    // What is on its way to a process that is stopped waits with it; nothing else arrives in a step in which it is.
    const due = later.filter(({ atMs }) => atMs <= nowMs);
    if (!isStopped) {
      for (const one of due) later.splice(later.indexOf(one), 1);
      for (const { run } of due.toSorted((one, other) => one.atMs - other.atMs)) run();
      tickTimers(STEP_MS);
    }
    await turn();
    await advanceReplica();
    await turn();
    advanceChange();
  }
  await link.close();
  const { fromMs = 0, answeredMs = Number.POSITIVE_INFINITY } = change ?? {};
  const history: Change[] = [{ status: "revoked", fromMs, toMs: answeredMs }];
  if (observations.length === 0) throw new Error("the edge has decided nothing");
  return firstUnexplained("active", history, observations);
}
