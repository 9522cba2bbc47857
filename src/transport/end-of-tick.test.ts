import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { atEndOfTick } from "./end-of-tick.ts";

test("what is handed over in one tick runs in its order, after the rest of the tick", async () => {
  const steps: string[] = [];
  const later = atEndOfTick((step: string) => steps.push(step));
  setImmediate(() => steps.push("the rest of the tick"));
  later("first");
  later("second");
  expect(steps).toEqual([]);
  await nextTick();
  expect(steps).toEqual(["the rest of the tick", "first", "second"]);
});

test("what is handed over meanwhile runs at the end of the next tick", async () => {
  const steps: string[] = [];
  const later = atEndOfTick((step: string) => {
    steps.push(step);
    if (step === "first") later("from the first");
  });
  later("first");
  later("second");
  await nextTick();
  expect(steps).toEqual(["first", "second"]);
  await nextTick();
  expect(steps).toEqual(["first", "second", "from the first"]);
});
