import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createRequestQueue, type RequestQueueOptions } from "./request-queue.ts";

/** Named by its flow and a number: `a1`. Names in upper case are management. */
type Item = { readonly name: string; readonly at: number };

/** Each item takes `costMs` of a clock that only they move. */
function start({ costMs = 0, ...options }: Partial<RequestQueueOptions<Item>> & { readonly costMs?: number } = {}) {
  const ran: string[] = [];
  const shed: string[] = [];
  let time = 0;
  const turns = createRequestQueue<Item>({
    run(item) {
      ran.push(item.name);
      time += costMs;
    },
    shed: ({ name }) => void shed.push(name),
    flowOf: ({ name }) => name.replace(/\d+/, ""),
    isManagement: ({ name }) => name !== name.toLowerCase(),
    arrivedAt: ({ at }) => at,
    waitMsMax: 50,
    now: () => time,
    ...options,
  });
  const add = (...names: string[]) => {
    for (const name of names) turns({ name, at: time });
  };
  return { ran, shed, add, elapse: (ms: number) => (time += ms) };
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

describe("overload", () => {
  /** The event loop takes 60 ms before each turn, in which `count` items arrive. */
  async function runLate(queue: ReturnType<typeof start>, { count, turns }: { count: number; turns: number }) {
    for (let n = 0; n < turns; n++) {
      queue.add(...many("a", count));
      queue.elapse(60);
      await nextTick();
    }
  }

  /** Returns when the lines are empty. */
  async function serve(queue: ReturnType<typeof start>, count: number): Promise<void> {
    while (queue.ran.length + queue.shed.length < count) await nextTick();
  }

  test("a burst is served whole, although its last items wait for twice the bound", async () => {
    const queue = start({ costMs: 0.25 });
    queue.add(...many("a", 400));
    await serve(queue, 400);
    expect(queue.shed).toEqual([]);
  });

  test("what waits for longer than the bound is shed once the process was behind for twice the bound", async () => {
    const queue = start({ costMs: 0.25 });
    queue.add(...many("a", 800));
    await serve(queue, 800);
    expect(queue.shed.length).toBeGreaterThan(380);
    expect(new Set(queue.shed)).toEqual(new Set(many("a", 800).slice(-queue.shed.length)));
  });

  describe("by clients without pauses, which send the next request as soon as one is answered or refused", () => {
    /** 2 s of so many clients. A request costs 0.2 ms, and a refusal half of that. */
    async function runClients(count: number): Promise<{ waits: number[]; refused: number }> {
      const waits: number[] = [];
      let refused = 0;
      let time = 0;
      const send = () => add({ name: "a1", at: time });
      const add = createRequestQueue<Item>({
        run({ at }) {
          waits.push(time - at);
          time += 0.2;
          send();
        },
        shed() {
          refused += 1;
          time += 0.1;
          send();
        },
        flowOf: ({ name }) => name,
        isManagement: () => false,
        arrivedAt: ({ at }) => at,
        waitMsMax: 50,
        now: () => time,
      });
      for (let n = 0; n < count; n++) send();
      while (time < 2_000) await nextTick();
      return { waits, refused };
    }

    test("refuses none who can be served within the bound, in their order, though it is never done with them", async () => {
      const { waits, refused } = await runClients(200);
      expect(refused).toBe(0);
      expect(waits.length).toBeGreaterThan(9_990);
      expect(Math.max(...waits)).toBeLessThan(45);
    });

    test("leaves half of the time to requests in time, where to refuse all others takes longer than the bound", async () => {
      const { waits, refused } = await runClients(2_000);
      expect(refused).toBeGreaterThan(2_000);
      expect(waits.length).toBeGreaterThan(4_500);
      // Twice the bound, and a slice.
      expect(Math.max(...waits)).toBeLessThan(104);
    });
  });

  test("sheds nothing of a client that does not wait behind itself", async () => {
    const queue = start({ costMs: 0.25 });
    queue.add(...many("a", 2_000));
    let sent = 0;
    while (queue.shed.length < 1_000) {
      queue.add(`b${++sent}`);
      await nextTick();
    }
    expect(queue.shed.filter((name) => name.startsWith("b"))).toEqual([]);
    expect(queue.ran.filter((name) => name.startsWith("b")).length).toBeGreaterThan(sent - 2);
  });

  test("gives a client that sends one request after the other twice the bound", async () => {
    const queue = start();
    await runLate(queue, { count: 20, turns: 2 });
    queue.add(...many("a", 20), "b1");
    queue.elapse(60);
    await nextTick();
    queue.add(...many("a", 20), "b2");
    queue.elapse(101);
    await nextTick();
    expect(queue.shed).not.toContain("b1");
    expect(queue.shed).toContain("b2");
  });

  test("ends with the lines: the next burst is served whole again", async () => {
    const queue = start({ costMs: 0.25 });
    queue.add(...many("a", 800));
    await serve(queue, 800);
    const { length } = queue.shed;
    queue.add(...many("a", 400));
    await serve(queue, 1_200);
    expect(queue.shed).toHaveLength(length);
  });

  test("does not begin while there is nothing to do: the first burst of a day is served whole", async () => {
    const queue = start({ costMs: 0.25 });
    queue.add(...many("a", 20));
    await serve(queue, 20);
    queue.elapse(10_000);
    queue.add(...many("a", 400));
    await serve(queue, 420);
    expect(queue.shed).toEqual([]);
  });

  test("is an event loop that stays late, too, even if it serves all that it has read", async () => {
    const queue = start();
    await runLate(queue, { count: 20, turns: 2 });
    expect(queue.shed).toEqual([]);
    await runLate(queue, { count: 20, turns: 1 });
    // Two of three.
    expect(queue.shed).toHaveLength(13);
  });

  test("is no single late turn, however late it is", async () => {
    const queue = start({ costMs: 0.25 });
    queue.add(...many("a", 100));
    queue.elapse(2_000);
    await serve(queue, 100);
    expect(queue.shed).toEqual([]);
  });

  test("is no late event loop that has little to do: to shed a few would make it no faster", async () => {
    const queue = start();
    await runLate(queue, { count: 8, turns: 10 });
    expect(queue.shed).toEqual([]);
  });

  test("is nothing where the bound is 0", async () => {
    const queue = start({ costMs: 0.25, waitMsMax: 0 });
    queue.add(...many("a", 4_000));
    await serve(queue, 4_000);
    expect(queue.shed).toEqual([]);
  });
});
