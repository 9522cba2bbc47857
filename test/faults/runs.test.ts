import { expect, test } from "vitest";
import { crashTest } from "./crashes.ts";

// threat: H10
test("a thousand messages over three replicas get one reply each, in order, while replicas are killed twenty times", async () => {
  const { asked, interrupted } = await crashTest({
    replicas: 3,
    conversations: 40,
    messagesEach: 25,
    kills: 20,
    pauseMs: 1_500,
    thinkMs: 1_200,
    leaseMs: 1_500,
  });
  console.log(`the model was asked ${asked} times; ${interrupted} runs were interrupted`);
  // Otherwise the kills hit nothing, and the test proves nothing.
  expect(interrupted).toBeGreaterThan(20);
});
