import { expect, test } from "vitest";
import { createEndOfTick } from "./end-of-tick.ts";

test("callers of one tick continue in the order of their calls, after the rest of the tick", async () => {
  const endOfTick = createEndOfTick();
  const steps: string[] = [];
  setImmediate(() => steps.push("the rest of the tick"));
  await Promise.all([endOfTick().then(() => steps.push("first")), endOfTick().then(() => steps.push("second"))]);
  expect(steps).toEqual(["the rest of the tick", "first", "second"]);
});

test("a later call waits for the end of a later tick", async () => {
  const endOfTick = createEndOfTick();
  await endOfTick();
  const steps: string[] = [];
  setImmediate(() => steps.push("the rest of the tick"));
  await endOfTick().then(() => steps.push("continues"));
  expect(steps).toEqual(["the rest of the tick", "continues"]);
});
