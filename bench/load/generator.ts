import { createHistogram } from "node:perf_hooks";
import { drive } from "./connection.ts";
import type { Command, Reply, RequestOrder, Run, RunResult } from "./messages.ts";

/** The process that makes the load. Its parent sends it sets of requests, then runs, one at a time. */

interface LoadedSet {
  /** All of them in one piece: a hundred thousand objects would take this process' garbage collector its time. */
  readonly bytes: Buffer;
  /** Where each begins, and where the last ends. */
  readonly starts: Uint32Array;
  readonly order: RequestOrder;
  /** Requests of a `sequence` sent so far, over all runs. */
  sent: number;
}

const sets = new Map<string, LoadedSet>();

process.on("message", (command: Command) => {
  carryOut(command).then(reply, (err: unknown) => reply({ error: err instanceof Error ? err.message : String(err) }));
});

async function carryOut(command: Command): Promise<Reply> {
  if ("run" in command) return { result: await run(command.run) };
  const { name, order, requests } = command.load;
  sets.set(name, { bytes: Buffer.from(requests.join(""), "latin1"), starts: startsOf(requests), order, sent: 0 });
  return { loaded: name };
}

function reply(message: Reply): void {
  process.send?.(message);
}

async function run({
  set: name,
  targets,
  connections,
  seconds,
  leadInSeconds = 0,
  requests = Infinity,
  perSecond,
  giveUpMs,
}: Run): Promise<RunResult> {
  const set = sets.get(name);
  if (set === undefined || countOf(set) === 0) throw new Error(`there are no requests called ${name}`);
  // A histogram of microseconds: one of milliseconds would round the fastest answers to nothing.
  const latencies = createHistogram();
  const successes = createHistogram();
  const statuses: Record<string, number> = {};
  let left = requests;
  let gaveUp = 0;
  const startedAt = performance.now();
  const countsFrom = startedAt + leadInSeconds * 1_000;
  const startedCpu = process.cpuUsage();
  const deadline = startedAt + seconds * 1_000;

  function next(): Buffer | undefined {
    if (left <= 0 || performance.now() >= deadline) return undefined;
    left -= 1;
    return pick(set as LoadedSet);
  }
  function answered(status: number, ms: number): void {
    if (leadInSeconds > 0 && performance.now() - ms < countsFrom) return;
    statuses[status] = (statuses[status] ?? 0) + 1;
    const micros = Math.max(1, Math.round(ms * 1_000));
    latencies.record(micros);
    if (status < 300) successes.record(micros);
  }

  function givenUp(): void {
    if (performance.now() - (giveUpMs ?? 0) >= countsFrom) gaveUp += 1;
  }

  const work = Array.from({ length: connections }, (_, n) => {
    const target = targets[n % targets.length];
    if (target === undefined) throw new Error("there is no server to send to");
    const pauseMs = perSecond === undefined ? () => 0 : pacer(connections / perSecond, n / connections);
    return drive(target, { next, pauseMs, answered, ...(giveUpMs !== undefined && { giveUpMs, givenUp }) });
  });
  await Promise.all(work);
  const took = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(startedCpu);
  return {
    seconds: took - leadInSeconds,
    statuses,
    gaveUp,
    p50Ms: latencies.percentile(50) / 1_000,
    p99Ms: latencies.percentile(99) / 1_000,
    successP50Ms: successes.percentile(50) / 1_000,
    successP99Ms: successes.percentile(99) / 1_000,
    generatorBusy: (user + system) / 1e6 / took,
    hasRepeated: set.order === "sequence" && set.sent > countOf(set),
  };
}

/** The pauses of one connection that sends every so many seconds; the first time after a part of that. */
function pacer(everySeconds: number, part: number): () => number {
  const everyMs = 1_000 * everySeconds;
  let dueAt = performance.now() + part * everyMs;
  return () => {
    const now = performance.now();
    // After a slow response it goes on from now: to catch up would be a burst.
    const pauseMs = Math.max(0, dueAt - now);
    dueAt = Math.max(dueAt, now) + everyMs;
    return pauseMs;
  };
}

function startsOf(requests: readonly string[]): Uint32Array {
  const starts = new Uint32Array(requests.length + 1);
  for (const [n, request] of requests.entries()) starts[n + 1] = (starts[n] ?? 0) + request.length;
  return starts;
}

function countOf({ starts }: LoadedSet): number {
  return starts.length - 1;
}

function pick(set: LoadedSet): Buffer {
  const count = countOf(set);
  const n = set.order === "random" ? Math.floor(Math.random() * count) : set.sent++ % count;
  return set.bytes.subarray(set.starts[n], set.starts[n + 1]);
}
