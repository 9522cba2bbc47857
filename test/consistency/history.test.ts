// promise: keys.bind, suspension.binds
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openSharedDatabase, type SharedDatabase } from "./database.ts";
import {
  type Change,
  changeInTurn,
  countUnexplained,
  firstUnexplained,
  type History,
  type Observation,
} from "./history.ts";
import { monotonicMs, type Verification } from "./observations.ts";
import type { Verifier } from "./stores.ts";
import { RARE_LOOKS } from "./trials.ts";

/** A replica that takes longer than 400 ms for a mark, as on a busy machine, may be behind others: here it is waited for. */
const TIMES = { mark: 5_000 };
const DISTURBANCES = { readDelayMs: 24, stepDelayMs: 4, evictions: 0.1, times: TIMES };
const KEYS = inject("longForm") ? 200 : 12;
const CONTROL_KEYS = 8;
/** Half of the key, half of its tenant. */
const CHANGES = 16;

let database: SharedDatabase;

beforeAll(async () => {
  database = await openSharedDatabase();
});

afterAll(() => database.close());

/**
 * Disables and enables a key, and suspends and resumes its tenant, on one replica after the other, and revokes the key
 * last, while all of them verify it.
 */
async function record(replicas: readonly [Verifier, ...Verifier[]]): Promise<History> {
  const key = await database.storedKey();
  const seen: Verification[] = [];
  let isChanging = true;
  const verifying = replicas.map(async (replica) => {
    while (isChanging) seen.push(await replica.verify(key));
  });
  const changes = await changeInTurn(CHANGES, async (verb, n) => {
    await sleep(Math.random() * 10);
    const replica = replicas[n % replicas.length] ?? replicas[0];
    const fromMs = monotonicMs();
    await replica.change(verb, key);
    return { fromMs, toMs: monotonicMs() };
  });
  isChanging = false;
  await Promise.all(verifying);
  seen.push(...(await Promise.all(replicas.map((replica) => replica.verify(key)))));
  return { changes, seen };
}

describe("what three replicas see of a key and its tenant that three replicas change is linearizable", () => {
  test("with slow readers, evictions and pauses", async () => {
    const start = () => database.start(DISTURBANCES);
    const replicas = await Promise.all([start(), start(), start()]);
    expect(await countUnexplained(KEYS, () => record(replicas))).toEqual({ keys: 0, tenants: 0 });
    await Promise.all(replicas.map((replica) => replica.stop()));
  }, 600_000);

  test("unlike where a change waits for no replica", async () => {
    const times = { ...TIMES, ...RARE_LOOKS };
    const open = () => database.open({ ...DISTURBANCES, evictions: 0, listens: false, protocol: "nobodyWaits", times });
    const replicas = await Promise.all([open(), open(), open()]);
    const { keys, tenants } = await countUnexplained(CONTROL_KEYS, () => record(replicas));
    expect(keys).toBeGreaterThan(0);
    expect(tenants).toBeGreaterThan(0);
  }, 600_000);
});

describe("the checker", () => {
  const off: Change = { status: "disabled", fromMs: 10, toMs: 20 };
  const on: Change = { status: "active", fromMs: 30, toMs: 40 };
  const at = (status: string, fromMs: number, toMs: number): Observation => ({ status, fromMs, toMs });

  test.each<[string, Observation[]]>([
    ["nothing", []],
    ["the state before, during and after", [at("active", 0, 5), at("active", 12, 13), at("disabled", 21, 29)]],
    ["either state while a change is under way, if they overlap", [at("disabled", 11, 19), at("active", 12, 18)]],
    ["a state that came back", [at("disabled", 21, 22), at("active", 45, 46)]],
    ["the second change, seen before its acknowledgement", [at("active", 25, 35)]],
  ])("explains %s", (_, seen) => {
    expect(firstUnexplained("active", [off, on], seen)).toBeUndefined();
  });

  test.each<[string, Observation[]]>([
    ["the old state after the acknowledgement", [at("active", 21, 22)]],
    ["the new state before it was requested", [at("disabled", 1, 9)]],
    ["the old state after the new one was seen", [at("disabled", 11, 12), at("active", 13, 14)]],
    ["a state that never was", [at("revoked", 0, 50)]],
  ])("does not explain %s", (_, seen) => {
    expect(firstUnexplained("active", [off, on], seen)).toBe(seen.at(-1));
  });
});
