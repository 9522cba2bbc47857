// promise: usage.series
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, type TestContext, test } from "vitest";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import { Traffic, totalOf } from "../harness/traffic.ts";
import { copyTemplate } from "../servers/embedded-template.ts";
import { startOwnPostgres } from "../servers/postgres.ts";
import { startOwnRedis } from "../servers/redis.ts";

/** The documented bound of the loss of a killed process, doubled for a busy machine. */
const LOST_MS = 2_000;

async function fleetOn({ onTestFinished }: TestContext, redisUrl: string, postgresUrl?: string): Promise<Fleet> {
  const fleet = await startFleet(redisUrl, postgresUrl);
  onTestFinished(fleet.close);
  return fleet;
}

describe.concurrent("usage is exact", () => {
  test("after Redis was killed and replaced by an empty one", async (ctx) => {
    let redis = await startOwnRedis();
    ctx.onTestFinished(() => redis.stop());
    const fleet = await fleetOn(ctx, redis.url);
    const traffic = await Traffic.start(fleet, await Promise.all([fleet.start(), fleet.start()]));
    const sending = traffic.send(1_500);
    await traffic.sent(500);
    await redis.stop();
    await traffic.sent(1_000);
    redis = await startOwnRedis({ port: redis.port });
    await sending;
    expect(traffic.answered).toBe(1_500);
    await traffic.expectExact(fleet);
  });

  test("after PostgreSQL crashed while storing it", async (ctx) => {
    const postgres = await startOwnPostgres();
    ctx.onTestFinished(() => postgres.stop());
    const fleet = await fleetOn(ctx, inject("redisUrl"), postgres.url);
    const traffic = await Traffic.start(fleet, [await fleet.start(), await fleet.start()]);
    const sending = traffic.send(2_000);
    for (const sent of [600, 1_200]) {
      await traffic.sent(sent);
      await postgres.crash();
      await postgres.restart();
    }
    await sending;
    await traffic.expectExact(fleet);
    expect(traffic.answered).toBeGreaterThan(600);
  });

  test("after replicas were stopped, both at once and during traffic", async (ctx) => {
    const fleet = await fleetOn(ctx, inject("redisUrl"));
    // Requests that are on their way to it must arrive before it closes its connections.
    const drains = { DRAIN_SECONDS: "1" };
    const [leaving, staying] = await Promise.all([fleet.start(drains), fleet.start()]);
    const traffic = await Traffic.start(fleet, [leaving, staying]);
    const sending = traffic.send(1_000);
    await traffic.sent(500);
    traffic.targets = [staying];
    expect(await leaving.end("SIGTERM")).toBe(0);
    await sending;
    expect(traffic.answered).toBe(1_000);
    await traffic.expectExact(fleet);
  });
});

test("a killed replica loses its counts of the last second, and none of the other replica", async (ctx) => {
  const fleet = await fleetOn(ctx, inject("redisUrl"));
  const [doomed, staying] = await Promise.all([fleet.start(), fleet.start()]);
  const traffic = await Traffic.start(fleet, [doomed, staying]);
  await traffic.send(500);
  await traffic.expectExact(fleet);
  const sending = traffic.send(1_000);
  await traffic.sent(1_000);
  traffic.targets = [staying];
  const underWay = traffic.underWay;
  const killedMs = performance.now();
  await doomed.end("SIGKILL");
  await sending;
  const lostMost = traffic.answeredBy(doomed, killedMs, LOST_MS);
  const counted = async (): Promise<number> => totalOf(await traffic.read(fleet, staying));
  const answered = traffic.answered;
  // Until it is removed from the list, each reading waits for the dead replica.
  await expect.poll(counted, { timeout: 30_000 }).toBeGreaterThanOrEqual(answered - lostMost);
  expect(await counted()).toBeLessThanOrEqual(answered + underWay);
});

describe("without Redis and PostgreSQL", () => {
  test("usage and the time of last use survive a stop, and all but the last second a kill", async (ctx) => {
    const dataDir = await mkdtemp(join(tmpdir(), "latchkey-usage-"));
    ctx.onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
    await copyTemplate(inject("embeddedTemplate"), dataDir);
    const fleet = await fleetOn(ctx, "");
    const start = (): Promise<Replica> => fleet.start({ DATABASE_URL: "", DATA_DIR: dataDir });
    let replica = await start();
    const traffic = await Traffic.start(fleet, [replica]);
    await traffic.send(200);
    expect(await replica.end("SIGTERM")).toBe(0);
    replica = await start();
    traffic.targets = [replica];
    await traffic.expectExact(fleet);
    const [keyId] = Object.keys(traffic.expected());
    const { json } = await replica.call("/api/v1/api-keys/get", { key_id: keyId }, await fleet.dashboard());
    expect(Date.now() - Date.parse(json.result.last_used_at)).toBeLessThan(60_000);

    await traffic.send(200);
    await traffic.expectExact(fleet);
    await replica.end("SIGKILL");
    replica = await start();
    traffic.targets = [replica];
    await traffic.expectExact(fleet);
  });
});
