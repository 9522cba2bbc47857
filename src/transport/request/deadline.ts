import { deadlinePassed } from "../../interceptors/deadline.ts";
import type { Incoming } from "./exchange.ts";
import { connectTimeoutMs } from "./timeout-headers.ts";

/** The deadline of a call in Connect's protocol. Undefined: it has none, or one that ends no call or is invalid. */
export function deadlineOf({ headers }: Pick<Incoming, "headers">): Deadline | undefined {
  const { "connect-timeout-ms": sent } = headers;
  const ms = sent === undefined ? undefined : connectTimeoutMs(String(sent));
  return ms === undefined ? undefined : new Deadline(ms);
}

/** The time until which a call waits. Most calls are answered without waiting, so a timer only runs while one waits. */
export class Deadline {
  readonly #endsAt: number;
  #controller: AbortController | undefined;

  constructor(ms: number) {
    this.#endsAt = performance.now() + ms;
  }

  get hasPassed(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Aborted when the deadline passes while work waits. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /**
   * The result of the work, or `deadline_exceeded` if the deadline passes first. Work that has begun continues to its end,
   * as if the answer were lost on its way, and its late error is ignored.
   */
  limit<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        const passed = deadlinePassed();
        reject(passed);
        this.#controller?.abort(passed);
      };
      const timer = setTimeout(end, this.#endsAt - performance.now());
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
