// promise: overload.probes, overload.bursts
import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createRequestQueue, type RequestQueueOptions } from "./request-queue.ts";

/** Named by its flow and a number: `a1`. Names in upper case are management. */
interface Item {
  readonly name: string;
  readonly at: number;
  readonly timeoutMs?: number;
}

const WAIT_MS = 250;
const BURST_MS = 1_000;
/** What may wait on any machine. */
const BURST = 1_000;

/** Each item takes `costMs` of a clock that only they move. */
function start({ costMs = 0, ...options }: Partial<RequestQueueOptions<Item>> & { readonly costMs?: number } = {}) {
  const ran: string[] = [];
  const shed: string[] = [];
  const dropped: string[] = [];
  const gone = new Set<string>();
  let time = 0;
  const turns = createRequestQueue<Item>({
    run(item) {
      ran.push(item.name);
      time += costMs;
    },
    shed: ({ name }) => void shed.push(name),
    isGone: ({ name }) => gone.has(name),
    drop: ({ name }) => void dropped.push(name),
    flowOf: ({ name }) => name.replace(/\W?\d+/, ""),
    isManagement: ({ name }) => name !== name.toLowerCase(),
    arrivedAt: ({ at }) => at,
    timeoutMs: ({ timeoutMs = Number.POSITIVE_INFINITY }) => timeoutMs,
    waitMsMax: WAIT_MS,
    burstMs: BURST_MS,
    now: () => time,
    ...options,
  });
  const add = (...names: string[]) => {
    for (const name of names) turns({ name, at: time });
  };
  return {
    ...{ ran, shed, dropped, gone, add },
    addOf: (name: string, timeoutMs: number) => turns({ name, at: time, timeoutMs }),
    time: () => time,
    elapse: (ms: number) => (time += ms),
    /** Returns when the lines are empty. */
    async serveAll(count: number): Promise<void> {
      while (ran.length + shed.length + dropped.length < count) await nextTick();
    },
  };
}

const many = (flow: string, count: number) => Array.from({ length: count }, (_, n) => `${flow}${n + 1}`);

describe("items of one tick", () => {
  test("run in their order, after the rest of the tick", async () => {
    const { ran, add } = start();
    setImmediate(() => ran.push("the rest of the tick"));
    add("a1", "b1");
    expect(ran).toEqual([]);
    await nextTick();
    expect(ran).toEqual(["the rest of the tick", "a1", "b1"]);
  });

  test("which arrive while others run are served in the next tick", async () => {
    const { ran, add } = start({
      run: ({ name }) => {
        ran.push(name);
        if (name === "a1") add("a3");
      },
    });
    add("a1", "a2");
    await nextTick();
    expect(ran).toEqual(["a1", "a2"]);
    await nextTick();
    expect(ran).toEqual(["a1", "a2", "a3"]);
  });

  test("that take longer than a slice let the network be read between them", async () => {
    const { ran, add } = start({ costMs: 0.25 });
    add(...many("a", 20));
    await nextTick();
    expect(ran).toHaveLength(8);
    await nextTick();
    expect(ran).toHaveLength(16);
  });
});

describe("items that have to wait", () => {
  test("are served one of each flow in turns: who sends one waits for one of each other", async () => {
    const { ran, add } = start({ costMs: 0.25 });
    add(...many("a", 40));
    await nextTick();
    add("b1");
    while (ran.length < 41) await nextTick();
    expect(ran.indexOf("b1")).toBeLessThanOrEqual(10);
  });

  test("of the management get every second turn, however many flows the calls have", async () => {
    const { ran, add } = start({ costMs: 0.25 });
    add(...many("a", 9), ..."bcdefghijklmnop".split("").map((flow) => `${flow}1`), "M1", "N1", "N2");
    while (ran.length < 27) await nextTick();
    expect(ran.slice(8, 14).filter((name) => name !== name.toLowerCase())).toEqual(["M1", "N1", "N2"]);
  });
});

describe("a burst", () => {
  test("is served whole, however long it waits", async () => {
    const queue = start({ costMs: 5 });
    queue.add(...many("a", 4 * BURST));
    await queue.serveAll(4 * BURST);
    expect(queue.time()).toBeGreaterThan(15 * BURST_MS);
    expect(queue.shed).toEqual([]);
  });

  test("is served whole on top of a load that leaves room for it", async () => {
    const queue = start({ costMs: 1 });
    queue.add(...many("a", 3 * BURST));
    let joined = 3 * BURST;
    while (queue.ran.length < joined) {
      await nextTick();
      while (2 * (joined - 3 * BURST + 1) < queue.ran.length) queue.add(`b${++joined}`);
    }
    expect(joined).toBeGreaterThan(4 * BURST);
    expect(queue.shed).toEqual([]);
  });

  test("of what a client may send at once is served whole, however slow the machine and however steady the queue", async () => {
    const { served, refused } = await runClients({ count: BURST, costMs: 5, ms: 20_000 });
    expect([served.length > 3_000, refused]).toEqual([true, []]);
  });
});

/** Clients that send the next request as soon as one is answered or refused. A refusal costs half a request. */
async function runClients({ count, costMs, ms }: { count: number; costMs: number; ms: number }) {
  const served: { at: number; waitMs: number }[] = [];
  const refused: { at: number; waitMs: number }[] = [];
  let time = 0;
  const end = (ended: typeof served, at: number, cost: number): void => {
    ended.push({ at: time, waitMs: time - at });
    time += cost;
    if (time < ms) send();
  };
  const send = () => add({ name: "a", at: time });
  const add = createRequestQueue<Item>({
    run: ({ at }) => end(served, at, costMs),
    shed: ({ at }) => end(refused, at, costMs / 2),
    isGone: () => false,
    drop: () => {},
    flowOf: ({ name }) => name,
    isManagement: () => false,
    arrivedAt: ({ at }) => at,
    timeoutMs: () => Number.POSITIVE_INFINITY,
    waitMsMax: WAIT_MS,
    burstMs: BURST_MS,
    now: () => time,
  });
  for (let n = 0; n < count; n++) send();
  while (time < ms || served.length + refused.length < count) await nextTick();
  return { served, refused };
}

describe("a queue that does not shrink", () => {
  test("is refused nothing while requests are served in time", async () => {
    const { served, refused } = await runClients({ count: 2 * BURST, costMs: 0.1, ms: 5_000 });
    expect(refused).toEqual([]);
    expect(Math.max(...served.map(({ waitMs }) => waitMs))).toBeLessThan(WAIT_MS);
  });

  // threat: Q3
  test("is refused requests once they have waited too long for the time of a burst", async () => {
    const { served, refused } = await runClients({ count: 2 * BURST, costMs: 0.2, ms: 5_000 });
    const [first] = refused;
    expect(first?.at).toBeGreaterThan(WAIT_MS + BURST_MS);
    expect(first?.at).toBeLessThan(WAIT_MS + 1.5 * BURST_MS);
    expect(Math.min(...refused.map(({ waitMs }) => waitMs))).toBeGreaterThan(WAIT_MS);
    expect(served.length).toBeGreaterThan(0.75 * (5_000 / 0.2));
    expect(served.length).toBeGreaterThan(1.9 * refused.length);
  });

  test("serves the newest in time, where most are too late", async () => {
    const { served } = await runClients({ count: 4 * BURST, costMs: 0.2, ms: 5_000 });
    const waits = served.filter(({ at }) => at > 2 * BURST_MS).map(({ waitMs }) => waitMs);
    expect(waits.filter((waitMs) => waitMs < WAIT_MS).length).toBeGreaterThan(0.9 * waits.length);
  });
});

/** A queue of `a`, in which as many join as are served, `ms` after its beginning. */
async function standing(ms: number) {
  const queue = start({ costMs: 0.2 });
  queue.add(...many("a", 3 * BURST));
  let joined = 3 * BURST;
  const hold = async (until: number): Promise<void> => {
    while (queue.time() < until) {
      while (joined - queue.ran.length - queue.shed.length < 3 * BURST) queue.add(`a${++joined}`);
      await nextTick();
    }
  };
  await hold(ms);
  return { ...queue, hold, joined: () => joined };
}

describe("refusing", () => {
  // threat: Q3
  test("ends as soon as the queue shrinks", async () => {
    const queue = await standing(3_000);
    const refused = queue.shed.length;
    expect(refused).toBeGreaterThan(BURST);
    const endedAt = queue.time();
    while (queue.time() < endedAt + BURST_MS / 4) await nextTick();
    const later = queue.shed.length;
    await queue.serveAll(queue.joined());
    expect(queue.shed.length).toBe(later);
  });

  test("ends with the load: the next burst is served whole again", async () => {
    const queue = await standing(3_000);
    await queue.serveAll(queue.joined());
    const refused = queue.shed.length;
    queue.add(...many("b", 3 * BURST));
    await queue.serveAll(queue.joined() + 3 * BURST);
    expect(queue.shed.length).toBe(refused);
  });

  test("takes first those whose clients do not wait any more by their own word, however late others are", async () => {
    const queue = await standing(BURST_MS);
    const [impatient, patient] = [many("a-", 200), many("a+", 200)];
    for (const name of impatient) queue.addOf(name, 100);
    for (const name of patient) queue.addOf(name, 60_000);
    while (queue.shed.length === 0) await queue.hold(queue.time() + 1);
    expect(queue.shed).toEqual(impatient);
  });

  test("refuses no caller who does not wait behind themselves", async () => {
    const queue = await standing(2_000);
    let sent = 0;
    while (queue.time() < 4_000) {
      queue.add(`b${++sent}`);
      await queue.hold(queue.time() + 1);
    }
    expect(queue.shed.length).toBeGreaterThan(BURST);
    expect(queue.shed.filter((name) => name.startsWith("b"))).toEqual([]);
    expect(queue.ran.filter((name) => name.startsWith("b")).length).toBeGreaterThan(sent - 3);
  });

  test("refuses no caller where the bound is 0", async () => {
    const queue = start({ costMs: 1, waitMsMax: 0 });
    let joined = 0;
    while (queue.time() < 5_000) {
      while (joined - queue.ran.length < 2 * BURST) queue.add(`a${++joined}`);
      await nextTick();
    }
    expect(queue.shed).toEqual([]);
  });
});

test("those whose clients have gone are neither served nor refused", async () => {
  const queue = start({ costMs: 1 });
  const names = many("a", 100);
  queue.add(...names);
  await nextTick();
  for (const name of names.slice(50)) queue.gone.add(name);
  await queue.serveAll(100);
  expect(queue.dropped).toEqual(names.slice(50));
  expect(queue.ran).toEqual(names.slice(0, 50));
  expect(queue.shed).toEqual([]);
});
