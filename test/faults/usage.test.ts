// promise: usage.series
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { Traffic, totalOf } from "../harness/traffic.ts";
import { type OwnPostgres, startOwnPostgres } from "../servers/postgres.ts";
import { type RedisServer, startOwnRedis } from "../servers/redis.ts";

const CALLS = 100_000;
/** A hundred thousand calls take two minutes on a slow machine. */
const LONG_MS = 400_000;
const ROUNDS = 10;
/** The documented bound of the loss of a killed process, doubled for a busy machine. */
const LOST_MS = 2_000;
/** Requests that are on their way to a replica must arrive before it closes its connections. */
const DRAINS = { DRAIN_SECONDS: "1" };

let fleet: Fleet | undefined;
let redis: RedisServer | undefined;
let postgres: OwnPostgres | undefined;

afterEach(async () => {
  await fleet?.close();
  await redis?.stop();
  await postgres?.stop();
});

// threat: R19
test(
  `usage is exact over ${CALLS} mixed calls, while Redis, PostgreSQL and replicas come and go`,
  async () => {
    redis = await startOwnRedis();
    postgres = await startOwnPostgres();
    fleet = await startFleet(redis.url, postgres.url);
    const traffic = await Traffic.start(fleet, await Promise.all([fleet.start(DRAINS), fleet.start(DRAINS)]));
    const sending = traffic.send(CALLS);
    const step = CALLS / ROUNDS / 5;
    let sent = 0;
    const aStepLater = (): Promise<void> => {
      sent += step;
      return traffic.sent(sent);
    };
    for (let round = 0; round < ROUNDS; round++) {
      await aStepLater();
      await redis.stop();
      await aStepLater();
      redis = await startOwnRedis({ port: redis.port });
      await aStepLater();
      process.kill(redis.pid, "SIGSTOP");
      await sleep(2_000);
      process.kill(redis.pid, "SIGCONT");
      await aStepLater();
      await postgres.crash();
      await postgres.restart();
      const [leaving, staying] = traffic.targets as readonly [Replica, Replica];
      traffic.targets = [staying, await fleet.start(DRAINS)];
      expect(await leaving.end("SIGTERM")).toBe(0);
    }
    await sending;
    await traffic.expectExact(fleet);
    expect(traffic.answered).toBeGreaterThan(CALLS / 2);
  },
  LONG_MS,
);

test(`of ${ROUNDS} replicas that are killed, each loses its counts of the last second and no more`, async () => {
  redis = await startOwnRedis();
  postgres = await startOwnPostgres();
  fleet = await startFleet(redis.url, postgres.url);
  const traffic = await Traffic.start(fleet, await Promise.all([fleet.start(), fleet.start()]));
  let lostMost = 0;
  let underWay = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const sending = traffic.send(3_000);
    // Not in phase with the flushes.
    await sleep(1_500 + 137 * round);
    const [doomed, staying] = traffic.targets as readonly [Replica, Replica];
    traffic.targets = [staying];
    underWay += traffic.underWay;
    const killedMs = performance.now();
    await doomed.end("SIGKILL");
    await sending;
    lostMost += traffic.answeredBy(doomed, killedMs, LOST_MS);
    traffic.targets = [staying, await fleet.start()];
  }
  const [first] = traffic.targets as readonly [Replica, Replica];
  const owner = fleet;
  const counted = async (): Promise<number> => totalOf(await traffic.read(owner, first));
  const { answered } = traffic;
  await expect.poll(counted, { timeout: 10_000 }).toBeGreaterThanOrEqual(answered - lostMost);
  expect(await counted()).toBeLessThanOrEqual(answered + underWay);
});
