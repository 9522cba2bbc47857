import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import type { Followers } from "./followers.ts";
import { KnownHistory } from "./known-history.ts";
import { type Clocks, type Instant, instantOf, type Lease, OWN_CLOCKS } from "./lease.ts";
import { Mending, type MendingOptions } from "./mending.ts";
import type { RecordCache } from "./record-cache.ts";
import type { Look, ReplicaTable, SeenOnServer, Snapshot } from "./replica-table.ts";
import type { Roster } from "./roster.ts";
import type { SharedHistory } from "./shared-history.ts";
import { TIMES, type Times } from "./times.ts";

export interface ReplicaOptions {
  readonly table: ReplicaTable;
  /** May be used while the lease is held. */
  readonly cache: Pick<RecordCache, "drop" | "mark" | "unmark" | "clear" | "restrict">;
  readonly lease: Lease;
  /** Default: one of its own. */
  readonly history?: KnownHistory;
  /** What the processes of the database keep of its history outside of it. Default: nothing. */
  readonly shared?: SharedHistory | undefined;
  /** Makes changes again that a server lacks. Default: such a server is refused. */
  readonly restoring?: Pick<MendingOptions, "changes" | "onMended" | "onHeld" | "onFailure">;
  /** The edges that must drop what the cache drops. Default: no edges. */
  readonly followers?: Pick<Followers, "sent" | "settled">;
  readonly times?: Times;
  readonly clocks?: Clocks;
  /** Called with each renewal. */
  readonly roster?: Pick<Roster, "removeDead">;
  /** Called with the id under which the list has this process, each time that it gets one. */
  readonly onRegistered?: (replicaId: string) => void;
  /** Called when looking begins to fail, and when it works again. */
  readonly onChange?: (works: boolean, cause?: unknown) => void;
}

/** Of no server, so that none records it. */
const NOTHING_SEEN: SeenOnServer = { snapshot: "1:1:", server: "" };

/** This process among the replicas of its database. */
export interface Replica {
  /** Looks as soon as possible: somebody may wait for that. */
  wake(): void;
  /** The server of the last look that was followed, since when a replica has known it, and when the look was sent: monotonic. */
  readonly server: { readonly id: string; readonly sinceMs: number; readonly lookedMs: number } | undefined;
  /**
   * The time of the server as of the last look, continued by this process' monotonic clock: never ahead of the server, and
   * never going back, unless the server's clock is set back. A replica that has applied a look which was sent after an
   * instant is at that instant or later.
   */
  readonly clock: Clock;
  /**
   * From now on answers other processes that ask for the usage of keys. `store` stores what this process has counted of
   * them; it may throw `StoreUnavailable`.
   */
  answerUsage(store: (keyIds: Iterable<string>) => Promise<void>): void;
  /** Gives up the lease and leaves the list. Never rejects. */
  close(): Promise<void>;
}

/**
 * Registers this process and keeps looking: steps 1 to 5 of ADR 22. Resolves after the first look. Throws
 * `StoreUnavailable` if that fails.
 */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const replica = new LookingReplica(options);
  await replica.register();
  await replica.round();
  void replica.keepLooking();
  return replica;
}

/** `startReplica`, with its steps one by one. */
export class LookingReplica implements Replica {
  readonly #options: ReplicaOptions;
  readonly #history: KnownHistory;
  readonly #mending: Mending;
  readonly #times: Times;
  readonly #clocks: Clocks;
  #pause = new AbortController();
  #replicaId = "";
  #isRegistered = false;
  /** The snapshot of the last look that was applied. */
  #seen: Snapshot | null = null;
  #marks: Look["marks"] = new Map();
  #server: Replica["server"];
  /** The last one that was refused. */
  #refused: string | undefined;
  /** Whether there is something to acknowledge that was not acknowledged yet. */
  #news = false;
  /** The looks that were applied and are not acknowledged, with the last message to edges at that time. */
  #unsettled: { readonly look: Look; readonly sent: number }[] = [];
  /** The last look that edges have applied, too. */
  #settled: Look | undefined;
  #renewedMs = Number.NEGATIVE_INFINITY;
  #serverTime = { nowMs: Date.now(), atMs: performance.now() };
  /** The latest time that `clock` has returned. */
  #shownMs = Number.NEGATIVE_INFINITY;
  #isWoken = false;
  #isClosing = false;
  #looking: Promise<void> = Promise.resolve();
  #lastLook: Look | undefined;
  #storeUsage: ((keyIds: Iterable<string>) => Promise<void>) | undefined;
  #isAnswering = false;
  #answered: Look["usageQuestions"] = new Map();

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#history = options.history ?? new KnownHistory();
    this.#times = options.times ?? TIMES;
    this.#clocks = options.clocks ?? OWN_CLOCKS;
    const { table, cache, restoring } = options;
    this.#mending = new Mending({
      ...{ table, cache, history: this.#history, times: this.#times, clocks: this.#clocks },
      ...{ changes: restoring?.changes, onHeld: restoring?.onHeld, onFailure: restoring?.onFailure },
      onMended: (mended) => {
        restoring?.onMended?.(mended);
        // The others wait for that.
        this.#renewedMs = Number.NEGATIVE_INFINITY;
        this.wake();
      },
    });
  }

  get server() {
    return this.#server;
  }

  readonly clock: Clock = () => {
    const nowMs = this.#serverTime.nowMs + Math.floor(this.#clocks.monotonicMs() - this.#serverTime.atMs);
    this.#shownMs = Math.max(this.#shownMs, nowMs);
    return new Date(this.#shownMs);
  };

  wake(): void {
    this.#isWoken = true;
    this.#pause.abort();
  }

  answerUsage(store: (keyIds: Iterable<string>) => Promise<void>): void {
    this.#storeUsage = store;
  }

  /** A new row each time: nothing that was asked of the old one concerns it. */
  async register(): Promise<void> {
    this.#replicaId = randomUUID();
    const sent = instantOf(this.#clocks);
    await this.#options.table.register(this.#replicaId, this.#mending.isFresh);
    this.#isRegistered = true;
    this.#options.onRegistered?.(this.#replicaId);
    this.#options.lease.renewed(sent);
    // The first look is followed by a renewal, which tells the others what it saw.
    this.#renewedMs = Number.NEGATIVE_INFINITY;
  }

  /** One look, applied and acknowledged. */
  async round(): Promise<void> {
    const { table, shared } = this.#options;
    if (!this.#isRegistered) await this.register();
    const elsewhere = this.#history.unlessOlder(await shared?.newest());
    const { asked } = this.#history;
    const sent = instantOf(this.#clocks);
    const newest = [asked, elsewhere?.newest].filter((changeId) => typeof changeId === "string");
    const look = await table.look(this.#replicaId, this.#seen, newest, this.#mending.last);
    await this.#mending.meet(look, { asked, elsewhere }, sent).catch(async (err: unknown) => {
      await this.#showAlive(look).catch(() => undefined);
      throw err;
    });
    this.#apply(look, sent);
    shared?.followed(look.history);
    if (!look.isListed) return;
    const seen = this.#seenByAll(look);
    const isDue = this.#clocks.monotonicMs() - this.#renewedMs >= this.#times.renewal;
    if (isDue) await this.#renew(seen ?? NOTHING_SEEN);
    else if (this.#news && seen !== undefined) await table.acknowledge(this.#replicaId, seen);
    // News stays until edges have acknowledged it.
    this.#news = seen !== look;
    this.#lastLook = look;
    void this.#answer();
  }

  /** On a server that is refused, processes that remember less than this one must not serve either. */
  async #showAlive({ isListed, server }: Look): Promise<void> {
    const nowMs = this.#clocks.monotonicMs();
    if (server === this.#refused && nowMs - this.#renewedMs < this.#times.renewal) return;
    this.#refused = server;
    this.#renewedMs = nowMs;
    const { table } = this.#options;
    if (isListed) await table.renew(this.#replicaId, NOTHING_SEEN, null);
    else await table.register(this.#replicaId, false);
  }

  /**
   * The newest look that all edges have applied, too: their records count as this process' own. Looks and renewals go on
   * while an edge is waited for, since its lease is part of this one's.
   */
  #seenByAll(look: Look): Look | undefined {
    const { followers } = this.#options;
    if (followers === undefined) return look;
    this.#unsettled.push({ look, sent: followers.sent });
    const settled = followers.settled();
    const next = this.#unsettled.findIndex(({ sent }) => sent > settled);
    const seen = this.#unsettled.splice(0, next === -1 ? this.#unsettled.length : next).at(-1);
    this.#settled = seen?.look ?? this.#settled;
    return this.#settled;
  }

  /**
   * Beside the looks, which must not wait for it. One answer at a time, so that its snapshot shows no question that another
   * one has not answered yet. After a failure, the next look tries again.
   */
  async #answer(): Promise<void> {
    const store = this.#storeUsage;
    if (this.#isAnswering || store === undefined) return;
    this.#isAnswering = true;
    for (let look = this.#lastLook; look !== undefined; look = this.#lastLook) {
      const { usageQuestions } = look;
      const open = [...usageQuestions].filter(([questionId]) => !this.#answered.has(questionId));
      if (open.length === 0) break;
      const replicaId = this.#replicaId;
      const isDone = await store(open.map(([, keyId]) => keyId))
        .then(() => this.#options.table.acknowledgeUsage(replicaId, look))
        .then(
          () => true,
          () => false,
        );
      if (!isDone) break;
      this.#answered = usageQuestions;
    }
    this.#isAnswering = false;
  }

  /** In one step, so that no request finds half of it. */
  #apply(look: Look, sent: Instant): void {
    const { cache, lease } = this.#options;
    if (this.#server?.id !== look.server) {
      cache.clear();
      // The other server may give a mark a number that this one has given to another.
      this.#applyMarks(new Map());
      const sinceMs = this.#clocks.monotonicMs() - look.serverKnownMs;
      this.#server = { id: look.server, sinceMs, lookedMs: sent.monotonicMs };
      // Others may wait to see that this process knows the server.
      this.#renewedMs = Number.NEGATIVE_INFINITY;
    } else this.#server = { ...this.#server, lookedMs: sent.monotonicMs };
    if (!look.isAll) cache.clear();
    for (const subject of look.changed) cache.drop(subject);
    this.#applyMarks(look.marks);
    // A process that made a promised change waits until all remember it.
    if (look.changed.length + look.promised.length > 0) this.#news = true;
    this.#seen = look.snapshot;
    this.#syncClock(look.nowMs, sent);
    if (!look.isListed) this.#lost();
    else if (!this.#history.isHeld) lease.looked(sent);
  }

  #applyMarks(marks: Look["marks"]): void {
    const { cache } = this.#options;
    for (const [markId, subject] of this.#marks) {
      if (!marks.has(markId)) cache.unmark(subject, markId);
    }
    for (const [markId, subject] of marks) {
      if (this.#marks.has(markId)) continue;
      cache.mark(subject, markId);
      this.#news = true;
    }
    this.#marks = marks;
  }

  /**
   * A reply that took longer than the one before shows an earlier time. That must not make the clock go back: a key that
   * has expired would work again. If its way explains less than the difference, the server was set back.
   */
  #syncClock(nowMs: number, sent: Instant): void {
    const atMs = this.#clocks.monotonicMs();
    if (this.#shownMs > nowMs + 1 + atMs - sent.monotonicMs) this.#shownMs = Number.NEGATIVE_INFINITY;
    this.#serverTime = { nowMs, atMs };
  }

  async #renew(seen: SeenOnServer): Promise<void> {
    const sent = instantOf(this.#clocks);
    const { mendedOn } = this.#mending;
    if (!(await this.#options.table.renew(this.#replicaId, seen, mendedOn))) return this.#lost();
    this.#mending.renewed(sent);
    this.#renewedMs = sent.monotonicMs;
    this.#options.lease.renewed(sent);
    await this.#options.roster?.removeDead();
  }

  /** Another process found that this one does not renew, and no change waits for it any more. */
  #lost(): void {
    this.#options.lease.end();
    this.#isRegistered = false;
    this.#isWoken = true;
  }

  async keepLooking(): Promise<void> {
    const ended = Promise.withResolvers<void>();
    this.#looking = ended.promise;
    let works = true;
    while (!this.#isClosing) {
      this.#isWoken = false;
      const failure = await this.round().then(
        () => undefined,
        (err: unknown) => ({ err }),
      );
      if (this.#isClosing) break;
      if (works !== (failure === undefined)) this.#options.onChange?.(!works, failure?.err);
      works = failure === undefined;
      if (this.#isWoken && works) continue;
      this.#pause = new AbortController();
      await sleep(this.#times.poll, undefined, { signal: this.#pause.signal }).catch(() => undefined);
    }
    ended.resolve();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#mending.close();
    this.#pause.abort();
    await this.#looking;
    this.#options.lease.end();
    // A row that stays is removed by another replica, or by the next process.
    if (this.#isRegistered) await this.#options.table.leave(this.#replicaId).catch(() => undefined);
  }
}
