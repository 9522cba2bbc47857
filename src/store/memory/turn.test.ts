import { expect, test } from "vitest";
import { createTurn } from "./turn.ts";

test("whoever waits in one turn goes on in the order of coming, after all that the turn still had to do", async () => {
  const turn = createTurn();
  const steps: string[] = [];
  const first = turn().then(() => steps.push("first goes on"));
  steps.push("second comes");
  const second = turn().then(() => steps.push("second goes on"));
  await Promise.all([first, second]);
  expect(steps).toEqual(["second comes", "first goes on", "second goes on"]);
});

test("a turn waits for no later one", async () => {
  const turn = createTurn();
  let goesOn = false;
  await turn();
  const later = turn().then(() => {
    goesOn = true;
  });
  expect(goesOn).toBe(false);
  await later;
});
