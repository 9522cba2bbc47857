import type { Target } from "./connection.ts";

/** How the requests of a set follow each other: `random` as traffic does, `sequence` where each may be sent only once. */
export type RequestOrder = "random" | "sequence";

/** Requests as they go over the wire, sent ahead of the runs that use them. */
export interface RequestSet {
  readonly name: string;
  readonly order: RequestOrder;
  readonly requests: readonly string[];
}

export interface Run {
  readonly set: string;
  /** Connections are spread over them evenly. */
  readonly targets: readonly Target[];
  readonly connections: number;
  /** The run ends after so many seconds, or after so many requests if that is given. */
  readonly seconds: number;
  /** So many of them, at the beginning, do not count: connections are opened. Default: 0. */
  readonly leadInSeconds?: number;
  readonly requests?: number;
  /** At most so many requests a second over all connections. Default: each follows the response to the one before. */
  readonly perSecond?: number;
  /** A client without an answer for so long closes its connection and opens another. Default: it waits. */
  readonly giveUpMs?: number;
}

export interface RunResult {
  readonly seconds: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests whose clients gave up. */
  readonly gaveUp: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of responses 200 alone. */
  readonly successP50Ms: number;
  readonly successP99Ms: number;
  /** Share of one core that the generator itself used; near 1 it, and not the server, was measured. */
  readonly generatorBusy: number;
  /** Whether a `sequence` began again, so that its requests were not all new. */
  readonly hasRepeated: boolean;
}

export type Command = { readonly load: RequestSet } | { readonly run: Run };
export type Reply = { readonly result: RunResult } | { readonly loaded: string } | { readonly error: string };
