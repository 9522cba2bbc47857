import { afterEach, describe, expect, test } from "vitest";
import {
  AWAY,
  admitted,
  BACK,
  expectLimited,
  expectProbesAlone,
  RedisBench,
  WAITED_MS,
} from "../harness/redis-bench.ts";
import { waitedMs } from "../harness/waited.ts";
import { startProxy, type TcpProxy } from "../servers/tcp.ts";

let bench: RedisBench;
let proxy: TcpProxy | undefined;

afterEach(async () => {
  await bench?.close();
  await proxy?.stop();
  proxy = undefined;
});

describe("a Redis that hangs", () => {
  // threat: H6
  test("costs three requests its time limit at most, later ones nothing, and none is unlimited", async () => {
    bench = await RedisBench.start();
    const key = await bench.newKey(5);
    await bench.use(key);
    bench.signal("SIGSTOP");
    const first = await bench.useTimes(key, 3);
    expectLimited(first, 5);
    expect(first[0]?.ms).toBeGreaterThan(WAITED_MS);
    expect(bench.changes()).toEqual([AWAY]);
    expect(await bench.redisUp()).toBe("0");
    const later = await bench.useTimes(key, 30);
    expectLimited(later, 5);
    expectProbesAlone(later);
    expect(admitted([...first, ...later])).toBe(5);
    expect(bench.changes()).toEqual([AWAY]);
  });

  test("delays only the requests under way, and is logged once", async () => {
    bench = await RedisBench.start();
    const key = await bench.newKey(5);
    await bench.use(key);
    bench.signal("SIGSTOP");
    const answers = await bench.useAtOnce(key, 50);
    expectLimited(answers, 5);
    expect(admitted(answers)).toBe(5);
    const later = await bench.useTimes(await bench.newKey(), 50);
    expect(admitted(later)).toBe(50);
    expectProbesAlone(later);
    expect(bench.changes()).toEqual([AWAY]);
  });

  test("is used again when it continues, without a restart of the service", async () => {
    bench = await RedisBench.start();
    const key = await bench.newKey(5);
    bench.signal("SIGSTOP");
    await bench.useTimes(key, 5);
    bench.signal("SIGCONT");
    await bench.recovery();
    expect(bench.changes()).toEqual([AWAY, BACK]);
    await bench.expectShared();
  });

  test("spends requests late that were sent while it hung, but admits no more for that", async () => {
    bench = await RedisBench.start();
    const key = await bench.newKey(5);
    bench.signal("SIGSTOP");
    const hanging = await bench.useTimes(key, 10);
    bench.signal("SIGCONT");
    await bench.recovery();
    const after = await bench.useTimes(key, 10);
    expect(admitted(hanging)).toBe(5);
    expect(admitted(after)).toBeLessThanOrEqual(5);
    // Three were sent before the circuit breaker opened, and perhaps some probes.
    expect(admitted(after)).toBeGreaterThanOrEqual(1);
  });

  test("does not delay a stop", async () => {
    bench = await RedisBench.start();
    await bench.use(await bench.newKey(5));
    bench.signal("SIGSTOP");
    expect(await waitedMs(bench.close())).toBeLessThan(5_000);
  });
});

test("an open connection whose packets are lost is replaced", async () => {
  bench = await RedisBench.start(async ({ port }) => {
    proxy = await startProxy(port);
    return `redis://127.0.0.1:${proxy.port}`;
  });
  const key = await bench.newKey(5);
  expect((await bench.use(key)).status).toBe(200);
  proxy?.silenceOpenConnections();
  const answers = await bench.useTimes(key, 10);
  expectLimited(answers, 5);
  expect(admitted(answers)).toBe(5);
  expect(bench.changes()).toEqual([AWAY]);
  await bench.recovery();
});
