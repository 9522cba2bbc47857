import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayFleet, startGatewayFleet } from "../harness/gateway-fleet.ts";
import { type Model, startModel } from "../harness/model.ts";

const ROUND = 500;
const ROUNDS = 10;
/** Time for the process to collect its garbage. */
const COLLECTION_MS = 500;
const MIB = 1_048_576;

let model: Model;
let replicas: GatewayFleet;
beforeAll(async () => {
  model = await startModel();
  replicas = await startGatewayFleet(1, model, { TEST_RUN_LEASE_MS: "15000" });
});
afterAll(async () => {
  await replicas.close();
  await model.close();
});

/** Sends messages to fifty conversations, and waits for each reply. */
async function round(n: number): Promise<void> {
  const content = [{ type: "CONTENT_PART_TYPE_TEXT", content: "x".repeat(2_000) }];
  const user_message = { role: "ROLE_USER", content };
  await Promise.all(
    Array.from({ length: 50 }, async (_, each) => {
      const conversation_key = `round ${n}, conversation ${each}`;
      for (let i = 0; i < ROUND / 50; i++) {
        await replicas.call("send-message", { conversation_key, user_message });
        await replicas.call("get-conversation-state", { conversation_key, wait_ms: 20_000, messages_max: 1 });
      }
    }),
  );
}

/** The memory in use after a garbage collection. */
async function heapBytes(): Promise<number> {
  const { child, url } = replicas.at(0);
  child.kill("SIGUSR2");
  await sleep(COLLECTION_MS);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)?.[1]);
}

test("memory does not grow with finished runs and waits", async () => {
  const heaps: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    await round(n);
    heaps.push(await heapBytes());
  }
  console.log(`heap after each ${ROUND} runs, MiB: ${heaps.map((bytes) => (bytes / MIB).toFixed(1)).join(" ")}`);
  expect(median(heaps.slice(-3)) - median(heaps.slice(2, 5))).toBeLessThan(2 * MIB);
});

function median(three: readonly number[]): number {
  return three.toSorted((a, b) => a - b)[1] ?? Number.NaN;
}
