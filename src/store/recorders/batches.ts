import { randomUUID } from "node:crypto";
import { pause } from "../../concurrency/pause.ts";
import { type Repeated, repeat } from "../../concurrency/repeat.ts";
import { untilDeadline } from "../../domain/vocabulary/until-deadline.ts";

/** How often a recorder stores what it has. */
const FLUSH_MS = 1_000;
/** How often a process that stops tries to store the rest. */
const CLOSE_PAUSE_MS = 250;

export interface BatchesOptions<Content> {
  /** Stores a batch. It may come again under its id, if a reply was lost, and must then count once. */
  readonly store: (batchId: string, content: Content) => Promise<void>;
  /** Whether a batch that failed is dropped. Default: none is. */
  readonly isDropped?: (err: unknown) => boolean;
  /** Called each second, but not while the last call is under way. */
  readonly onTime: () => Promise<void>;
  /** Called with the error of each `onTime` that fails. */
  readonly onError: (err: unknown) => void;
  /** How long `close` begins further attempts. */
  readonly closeMs: number;
}

/** Sends idempotent batches, one at a time. An outage of the store loses nothing: the batch that failed is kept, and sent first. */
export class Batches<Content> {
  readonly #options: BatchesOptions<Content>;
  readonly #timer: Repeated;
  #unconfirmed: { readonly batchId: string; readonly content: Content } | undefined;
  #underWay: Promise<void> | undefined;

  constructor(options: BatchesOptions<Content>) {
    this.#options = options;
    this.#timer = repeat(options.onTime, { pollMs: FLUSH_MS, onFault: options.onError, isDelayed: true });
  }

  /** Sent, and not known to be stored. */
  get unconfirmed(): Content | undefined {
    return this.#unconfirmed?.content;
  }

  /** The last of the attempts that have not ended. */
  get underWay(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** Sends the unconfirmed batch again, unchanged, or else one of what `take` returns. Call it in an attempt. */
  async send(take?: () => Content | undefined): Promise<void> {
    const content = this.#unconfirmed === undefined ? take?.() : undefined;
    if (content !== undefined) this.#unconfirmed = { batchId: randomUUID(), content };
    if (this.#unconfirmed === undefined) return;
    try {
      await this.#options.store(this.#unconfirmed.batchId, this.#unconfirmed.content);
    } catch (err) {
      if (this.#options.isDropped?.(err) === true) this.#unconfirmed = undefined;
      throw err;
    }
    this.#unconfirmed = undefined;
  }

  /** Begins after those that are under way: the order of batches is that of their attempts. */
  attempt(work: () => Promise<void>): Promise<void> {
    const begun = this.#underWay === undefined ? work() : this.#underWay.catch(() => {}).then(work);
    this.#underWay = begun;
    const end = (): void => {
      if (this.#underWay === begun) this.#underWay = undefined;
    };
    begun.then(end, end);
    return begun;
  }

  /**
   * Repeats `storeAll` until it succeeds, but begins no attempt after `closeMs`, and waits for none beyond `deadline`. The signal of
   * `storeAll` is aborted then. Returns undefined if one succeeded, or else the last error, if any. Never rejects.
   */
  async close(
    storeAll: (ended: AbortSignal) => Promise<void>,
    deadline: AbortSignal,
  ): Promise<{ readonly err: unknown } | undefined> {
    void this.#timer.stop();
    const late = new AbortController();
    const lateTimer = setTimeout(() => late.abort(), this.#options.closeMs);
    const ended = AbortSignal.any([deadline, late.signal]);
    let last: { readonly err: unknown } = { err: undefined };
    const attempt = (): Promise<"stored" | undefined> =>
      storeAll(ended).then(
        () => "stored",
        (err: unknown) => {
          last = { err };
          return undefined;
        },
      );
    try {
      do {
        if ((await untilDeadline(attempt(), deadline)) === "stored") return undefined;
        await pause(CLOSE_PAUSE_MS, ended);
      } while (!ended.aborted);
      return last;
    } finally {
      clearTimeout(lateTimer);
    }
  }
}
