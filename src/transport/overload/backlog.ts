/** How often a backlog is looked at in `burstMs`. */
const LOOKS = 8;
/** Of what has left a queue, the part that must not have been replaced for it to have shrunk. Less is chance. */
const SHRUNK = 1 / 16;

export interface BacklogOptions {
  /** Ms for which requests may wait. 0: for ever. */
  readonly waitMsMax: number;
  /** Ms for which they may wait longer than that, while their queue does not shrink. */
  readonly burstMs: number;
}

/** How many requests had joined and left the queue at some time. */
interface Look {
  readonly at: number;
  readonly joined: number;
  readonly left: number;
}

/**
 * Decides whether requests that wait are a burst or an overload, by a clock that it is passed.
 *
 * A burst shrinks, however long it is: fewer requests join the queue than are served, so waiting ends by itself. An overload is a queue
 * in which requests have waited for longer than `waitMsMax`, and which has not shrunk, for `burstMs`. Refused requests count as neither,
 * or refusing would look like the end of the load.
 */
export class Backlog {
  readonly #waitMsMax: number;
  readonly #burstMs: number;
  /** Those of the last `burstMs`, oldest first, while requests wait too long. */
  #looks: Look[] = [];
  #joined = 0;
  #left = 0;
  #longestWaitMs = 0;
  #nextLookAt = 0;
  #isOverload = false;

  constructor({ waitMsMax, burstMs }: BacklogOptions) {
    this.#waitMsMax = waitMsMax;
    this.#burstMs = burstMs;
  }

  get isOverload(): boolean {
    return this.#isOverload;
  }

  join(): void {
    this.#joined += 1;
  }

  serve(waitMs: number): void {
    this.#left += 1;
    this.#longestWaitMs = Math.max(this.#longestWaitMs, waitMs);
  }

  refuse(waitMs: number): void {
    this.#longestWaitMs = Math.max(this.#longestWaitMs, waitMs);
  }

  /** No request waits too long, or none at all. */
  end(): void {
    this.#looks = [];
    this.#longestWaitMs = 0;
    this.#isOverload = false;
  }

  /** Decides again, where it is time to. Returns whether it did, and it is an overload. */
  look(time: number): boolean {
    if (this.#waitMsMax === 0 || time < this.#nextLookAt) return false;
    this.#nextLookAt = time + this.#burstMs / LOOKS;
    if (this.#longestWaitMs <= this.#waitMsMax) {
      this.end();
      return false;
    }
    this.#longestWaitMs = 0;
    const startedAt = time - this.#burstMs;
    // The last of those before is kept: from it on, requests have waited too long for all of that time.
    while ((this.#looks[1]?.at ?? Number.POSITIVE_INFINITY) <= startedAt) this.#looks.shift();
    const [first] = this.#looks;
    this.#isOverload =
      first !== undefined && first.at <= startedAt && !this.#looks.some((look) => this.#hasShrunk(look));
    this.#looks.push({ at: time, joined: this.#joined, left: this.#left });
    return this.#isOverload;
  }

  #hasShrunk({ joined, left }: Look): boolean {
    return this.#joined - joined < (1 - SHRUNK) * (this.#left - left);
  }
}
