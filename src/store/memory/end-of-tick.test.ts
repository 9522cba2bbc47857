import { expect, test } from "vitest";
import { createTurn } from "./end-of-tick.ts";

test("whoever waits in one turn goes on in the order of coming, after all that the turn still had to do", async () => {
  const turn = createTurn();
  const steps: string[] = [];
  setImmediate(() => steps.push("the rest of the turn"));
  await Promise.all([turn().then(() => steps.push("first")), turn().then(() => steps.push("second"))]);
  expect(steps).toEqual(["the rest of the turn", "first", "second"]);
});

test("whoever comes later waits for the end of a later turn", async () => {
  const turn = createTurn();
  await turn();
  const steps: string[] = [];
  setImmediate(() => steps.push("the rest of the turn"));
  await turn().then(() => steps.push("goes on"));
  expect(steps).toEqual(["the rest of the turn", "goes on"]);
});
