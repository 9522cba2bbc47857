import { afterEach, beforeEach, expect, test } from "vitest";
import { pause } from "./pause.ts";
import { type Repeated, type RepeatOptions, repeat } from "./repeat.ts";

const POLL_MS = 1_000;

/** Steps and pauses, which a test ends. */
let steps: PromiseWithResolvers<void>[];
let pauses: { readonly ms: number; readonly end: () => void }[];
let faults: unknown[];
let mostUnderWay: number;
let stopping: AbortSignal | undefined;
let loop: Repeated;

beforeEach(() => {
  steps = [];
  pauses = [];
  faults = [];
  mostUnderWay = 0;
});

afterEach(() => {
  void loop.stop();
  for (const { resolve } of steps) resolve();
});

function start(options: Partial<RepeatOptions> = {}): void {
  let underWay = 0;
  const step = (signal: AbortSignal): Promise<void> => {
    stopping = signal;
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    const ended = Promise.withResolvers<void>();
    steps.push(ended);
    return ended.promise.finally(() => underWay--);
  };
  const wait: typeof pause = (ms, signal) => {
    if (signal.aborted) return Promise.resolve();
    return new Promise((end) => {
      pauses.push({ ms, end });
      signal.addEventListener("abort", () => end());
    });
  };
  loop = repeat(step, { pollMs: POLL_MS, onFault: (err) => void faults.push(err), wait, ...options });
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

async function endStep(err?: Error): Promise<void> {
  if (err === undefined) steps.at(-1)?.resolve();
  else steps.at(-1)?.reject(err);
  await settle();
}

async function endPause(): Promise<void> {
  pauses.at(-1)?.end();
  await settle();
}

test("the first step begins at once, and the next one a pause after its end, or at a wake", async () => {
  start();
  expect([steps.length, pauses]).toEqual([1, []]);
  await endStep();
  expect([steps.length, pauses.map(({ ms }) => ms)]).toEqual([1, [POLL_MS]]);
  await endPause();
  await endStep();
  expect(steps).toHaveLength(2);
  loop.wake();
  await settle();
  expect(steps).toHaveLength(3);
});

test("wakes during a step bring about one further step, without a pause, and no two steps overlap", async () => {
  start();
  for (let n = 0; n < 3; n++) loop.wake();
  await settle();
  expect(steps).toHaveLength(1);
  await endStep();
  expect([steps.length, pauses.length]).toEqual([2, 0]);
  await endStep();
  expect([steps.length, pauses.length, mostUnderWay]).toEqual([2, 1, 1]);
});

test("a step that fails is reported, and the next one follows after a pause", async () => {
  const broken = new Error("the storage is away");
  start();
  await endStep(broken);
  expect([faults, steps.length, pauses.length]).toEqual([[broken], 1, 1]);
  await endPause();
  expect(steps).toHaveLength(2);
});

test("stopping aborts the signal of the step under way, waits for it, also if it fails, and begins no other", async () => {
  start();
  let isStopped = false;
  const stopped = Promise.all([loop.stop(), loop.stop()]).then(() => {
    isStopped = true;
  });
  loop.wake();
  await settle();
  expect([isStopped, stopping?.aborted]).toEqual([false, true]);
  await endStep(new Error("late"));
  await stopped;
  expect([steps.length, pauses.length, faults.length]).toEqual([1, 0, 1]);
});

test.each([true, false])("stopping ends a pause, also the first one of a delayed loop (%s)", async (isDelayed) => {
  start({ isDelayed, wait: pause });
  if (!isDelayed) await endStep();
  await loop.stop();
  expect(steps).toHaveLength(isDelayed ? 0 : 1);
});
