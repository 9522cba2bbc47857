import { expect, inject, test } from "vitest";
import { crashTest } from "../faults/crashes.ts";

test("messages get one reply each, in order, while replicas are killed", async () => {
  const { interrupted } = await crashTest({
    serverUrl: inject("postgresUrl"),
    replicas: 2,
    conversations: 6,
    messagesEach: 8,
    kills: 3,
    pauseMs: 700,
    thinkMs: 600,
    leaseMs: 500,
  });
  // Else the kills hit nothing and the test showed nothing.
  expect(interrupted).toBeGreaterThan(0);
}, 60_000);
