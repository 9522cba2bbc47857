import { onTestFinished } from "vitest";

/** A clock that runs like the real one and can be moved. */
export class TestClock {
  #offsetMs = 0;
  #stoodMs: number | undefined;

  readonly now = (): Date => new Date((this.#stoodMs ?? Date.now()) + this.#offsetMs);

  advance(ms: number): void {
    this.#offsetMs += ms;
  }

  /** Stands until the test ends, and is moved by `advance` alone: how long a busy machine takes for the test changes nothing. */
  stand(): void {
    this.#stoodMs = Date.now();
    onTestFinished(() => {
      this.#stoodMs = undefined;
    });
  }
}

export const SECOND = 1_000;
export const HOUR = 3_600_000;
