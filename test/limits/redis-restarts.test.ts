// promise: limits.redis-log
import { expect, inject } from "vitest";
import { startLatchkey } from "../harness/latchkey.ts";
import { AWAY, BACK, benchTest as test } from "../harness/redis-bench.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { copyDatabase } from "../servers/postgres.ts";

test("a restart of Redis is one warning on each replica, and its end, and no error, whatever the load", async ({
  startBench,
  onTestFinished,
}) => {
  const bench = await startBench();
  const idle = await startLatchkey({
    config: {
      redis: redisAt(bench.server.url),
      storage: { kind: "postgres", url: await copyDatabase(inject("servingTemplate").adminUrl) },
    },
  });
  onTestFinished(() => idle.close());
  const key = await bench.newKey(1_000_000);
  await bench.useTimes(key, 5);
  await bench.server.stop();
  await bench.useAtOnce(key, 50);
  const linesOf = (lines: readonly string[]) =>
    lines
      .map((line) => JSON.parse(line))
      .filter(({ level, msg }) => level > 30 || msg === BACK)
      .map(({ level, msg }) => [level, msg]);
  // The idle replica notices it by its own probe.
  for (const { logLines } of [bench.latchkey, idle]) {
    await expect.poll(() => linesOf(logLines), { timeout: 8_000 }).toEqual([[40, AWAY]]);
  }
  await bench.replaceRedis();
  for (const { logLines } of [bench.latchkey, idle]) {
    const all = [
      [40, AWAY],
      [30, BACK],
    ];
    await expect.poll(() => linesOf(logLines), { timeout: 8_000 }).toEqual(all);
  }
});
