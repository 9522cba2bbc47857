/** A clock that runs like the real one and can be moved. */
export class TestClock {
  #offsetMs = 0;

  readonly now = (): Date => new Date(Date.now() + this.#offsetMs);

  advance(ms: number): void {
    this.#offsetMs += ms;
  }
}

export const SECOND = 1_000;
export const HOUR = 3_600_000;
