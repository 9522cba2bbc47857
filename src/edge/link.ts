import { setTimeout as sleep } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import type {
  EdgeService,
  FollowRequestSchema,
  FollowResponse,
  Slice,
  Welcome,
} from "../../gen/latchkey/v1/edge_service_pb.ts";
import { type Channel, createChannel } from "../domain/edges/channel.ts";
import type { RateLimit } from "../domain/limits/caps.ts";
import type { Spending } from "../domain/limits/limiter.ts";
import type { Clock } from "../domain/vocabulary/clock.ts";
import { StoreUnavailable } from "../domain/vocabulary/store-unavailable.ts";
import { type Clocks, type Instant, instantOf, OWN_CLOCKS } from "../store/replicas/lease.ts";
import type { RecordCache } from "../store/replicas/record-cache.ts";
import type { EdgeLease } from "./lease.ts";

export interface LinkOptions {
  readonly client: Pick<Client<typeof EdgeService>, "follow">;
  readonly cache: Pick<RecordCache, "drop" | "clear">;
  readonly lease: EdgeLease;
  /** Called with each beginning. False: nothing may be decided by what this service sends. */
  readonly onWelcome: (welcome: Welcome) => boolean;
  /** Called when the service is lost, and when it is found again. */
  readonly onChange: (works: boolean, cause?: unknown) => void;
  /** Called when nothing was answered for long: another stream must not use the same connection. */
  readonly onSilence: () => void;
  readonly clocks?: Clocks;
}

/** The stream between an edge and a replica. */
export interface Link {
  /** Of the stream that has begun last. Empty: none has. */
  readonly edgeId: string;
  readonly isConnected: boolean;
  /** How long the last lease took from the question to the answer, in ms. Undefined: there was none. */
  readonly lagMs: number | undefined;
  /** The database's time. */
  readonly clock: Clock;
  /** Throws `StoreUnavailable` if there is no stream, or it ends before the answer. */
  askSlice(question: SliceQuestion): Promise<Slice>;
  returnSlice(unspent: SliceReturn): void;
  /** Resolves when the stream has begun for the first time, or `signal` is aborted. */
  begun(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface SliceQuestion {
  readonly budgetId: string;
  readonly limit: RateLimit;
  readonly spending: Spending;
  readonly most: number;
  readonly peek: boolean;
}

export interface SliceReturn {
  readonly budgetId: string;
  readonly limit: RateLimit;
  readonly unspent: number;
  readonly takenAtMs: bigint;
  readonly shared: boolean;
}

type Request = MessageInitShape<typeof FollowRequestSchema>;

/** Between two questions for a lease: several are lost before a lease ends. */
const ASK_MS = 400;
/**
 * A stream with so many unanswered questions, those of three seconds, is given up. They are counted instead of the time, in which this
 * process may have been stopped: then the answers are there.
 */
const UNANSWERED_MAX = 8;
/** The same before a stream begins, six seconds: a replica to which a thousand edges come at once takes its time. */
const UNBEGUN_MAX = 16;
/** Between two attempts to follow, at first and at most. A random part keeps a thousand edges from coming at once. */
const RETRY_MS = 100;
const RETRY_MS_MAX = 3_000;
/** For how long the end of a stream may take that this edge ends. */
const END_MS = 1_000;

/** Follows a replica, for as long as `close` is not called, whatever happens to it. */
export function createLink(options: LinkOptions): Link {
  const { client, cache, lease, onWelcome, onChange, onSilence, clocks = OWN_CLOCKS } = options;
  const closing = new AbortController();
  const first = Promise.withResolvers<void>();
  const questions = new Map<bigint, PromiseWithResolvers<Slice>>();
  let channel: Channel<Request> | undefined;
  let edgeId = "";
  let isConnected = false;
  let isEnding = false;
  let lagMs: number | undefined;
  let lastQuestion = 0n;
  let databaseTime = { nowMs: Date.now(), atMs: clocks.monotonicMs() };

  async function follow(): Promise<void> {
    const asked = new Map<bigint, Instant>();
    const stream = new AbortController();
    const signal = AbortSignal.any([stream.signal, closing.signal]);
    const own = createChannel<Request>();
    let mayDecide = false;
    let isBegun = false;
    let unbegun = 0;

    function giveUp(): void {
      stream.abort();
      onSilence();
    }

    function tick(): void {
      if (isBegun) {
        if (asked.size < UNANSWERED_MAX) ask();
        else giveUp();
        return;
      }
      unbegun += 1;
      if (unbegun >= UNBEGUN_MAX) giveUp();
    }

    function ask(): void {
      lastQuestion += 1n;
      asked.set(lastQuestion, instantOf(clocks));
      own.put({ message: { case: "askLease", value: { number: lastQuestion } } });
    }

    function receive({ message }: FollowResponse): void {
      switch (message.case) {
        case "welcome":
          // In one step: what another stream gave is not known to this one's replica.
          lease.end();
          cache.clear();
          edgeId = message.value.edgeId;
          mayDecide = onWelcome(message.value);
          channel = own;
          isBegun = true;
          // The answer to the first question counts from before the wait.
          if (unbegun > 0) ask();
          isConnected = true;
          first.resolve();
          onChange(true);
          break;
        case "lease": {
          const { number, leftMs, nowMs } = message.value;
          const sent = asked.get(number);
          asked.delete(number);
          const answeredMs = clocks.monotonicMs();
          if (sent === undefined || !mayDecide) break;
          lagMs = answeredMs - sent.monotonicMs;
          databaseTime = { nowMs: Number(nowMs), atMs: answeredMs };
          if (leftMs > 0) lease.granted(sent, leftMs);
          break;
        }
        case "drop":
          if (message.value.all) cache.clear();
          for (const subject of message.value.subjects) cache.drop(subject);
          own.put({ message: { case: "dropped", value: { number: message.value.number } } });
          break;
        case "slice":
          questions.get(message.value.number)?.resolve(message.value);
          questions.delete(message.value.number);
          break;
        default:
      }
    }

    const timer = setInterval(tick, ASK_MS).unref();
    try {
      ask();
      for await (const response of client.follow(own.messages, { signal })) receive(response);
    } finally {
      clearInterval(timer);
      own.end();
      isConnected = false;
      if (channel === own) channel = undefined;
      for (const { reject } of questions.values()) reject(new StoreUnavailable("the service is away"));
      questions.clear();
    }
  }

  async function keepFollowing(): Promise<void> {
    let pauseMs = RETRY_MS;
    while (!isEnding) {
      const before = edgeId;
      const failure = await follow().then(
        () => undefined,
        (err: unknown) => err,
      );
      if (isEnding) break;
      onChange(false, failure);
      pauseMs = edgeId === before ? Math.min(2 * pauseMs, RETRY_MS_MAX) : RETRY_MS;
      await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal: closing.signal, ref: false }).catch(
        () => undefined,
      );
    }
  }

  const following = keepFollowing();
  return {
    get edgeId() {
      return edgeId;
    },
    get isConnected() {
      return isConnected;
    },
    get lagMs() {
      return lagMs;
    },
    clock: () => new Date(databaseTime.nowMs + Math.floor(clocks.monotonicMs() - databaseTime.atMs)),
    async askSlice(question) {
      if (channel === undefined) throw new StoreUnavailable("the service is away");
      lastQuestion += 1n;
      const answer = Promise.withResolvers<Slice>();
      questions.set(lastQuestion, answer);
      channel.put({ message: { case: "askSlice", value: { ...question, number: lastQuestion } } });
      // The stream keeps no process alive. One that waits for the answer does not end before.
      const waiting = setInterval(() => {}, ASK_MS);
      try {
        return await answer.promise;
      } finally {
        clearInterval(waiting);
      }
    },
    returnSlice: (value) => channel?.put({ message: { case: "returnSlice", value } }),
    async begun(signal) {
      if (signal.aborted) return;
      const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([first.promise, aborted]);
    },
    async close() {
      // The last messages, such as slices that are given back, are sent before the stream ends.
      isEnding = true;
      channel?.end();
      // The stream keeps no process alive. One that waits for this end does not end before.
      const timer = setTimeout(() => closing.abort(), channel === undefined ? 0 : END_MS);
      await following;
      clearTimeout(timer);
      closing.abort();
      lease.end();
    },
  };
}
