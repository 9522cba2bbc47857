import { expect, test } from "vitest";
import { createBatches } from "./batches.ts";

/** Runs a batch as a script does: all inputs at once, one output each. */
function recording(outputOf: (input: string) => string = (input) => input.toUpperCase()) {
  const batches: string[][] = [];
  const call = createBatches(async (inputs: readonly string[]) => {
    batches.push([...inputs]);
    return inputs.map(outputOf);
  });
  return { batches, call };
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test("calls of one tick are sent together, and each gets its own output", async () => {
  const { batches, call } = recording();
  expect(await Promise.all(["a", "b", "a"].map((input) => call("", input)))).toEqual(["A", "B", "A"]);
  expect(batches).toEqual([["a", "b", "a"]]);
});

test("calls of a later tick do not wait for a batch under way", async () => {
  const open: (() => void)[] = [];
  const call = createBatches(
    (inputs: readonly string[]) => new Promise<string[]>((resolve) => open.push(() => resolve([...inputs]))),
  );
  const first = call("", "first");
  await nextTick();
  const second = call("", "second");
  await nextTick();
  expect(open).toHaveLength(2);
  for (const finish of open.reverse()) finish();
  expect(await Promise.all([first, second])).toEqual(["first", "second"]);
});

test("calls of another group are sent in another batch", async () => {
  const { batches, call } = recording();
  await Promise.all([call("{aa}", "a"), call("{bb}", "b"), call("{aa}", "c")]);
  expect(batches.sort()).toEqual([["a", "c"], ["b"]]);
});

// threat: E6
test("a thousand calls are sent in batches of at most 8, and none is lost", async () => {
  const { batches, call } = recording();
  const inputs = Array.from({ length: 1_000 }, (_, n) => `q${n}`);
  expect(await Promise.all(inputs.map((input) => call("", input)))).toEqual(inputs.map((input) => input.toUpperCase()));
  // Nothing is sent again at the end of the tick: a limit would be spent twice.
  await nextTick();
  expect(batches.flat()).toEqual(inputs);
  expect(Math.max(...batches.map(({ length }) => length))).toBe(8);
});

test("a failure rejects all calls of its batch and no others", async () => {
  let isAway = true;
  const call = createBatches(async (inputs: readonly string[]) => {
    if (isAway) throw new Error("away");
    return [...inputs];
  });
  const ended = await Promise.allSettled([call("", "a"), call("", "b")]);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isAway = false;
  expect(await call("", "c")).toBe("c");
});
