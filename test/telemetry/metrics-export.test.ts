import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { OtlpMetricsConfig } from "../../src/config/settings.ts";
import { startBusyService } from "../harness/busy-service.ts";
import { decodeMetrics } from "../harness/collected-metrics.ts";
import { type Collector, startCollector } from "../harness/collector.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { type Sample, scrape, sumOf } from "../harness/scrape.ts";
import { freePort } from "../servers/free-port.ts";

const NEVER_MS = 600_000;
/** For a collector that is away, and long enough for one that is back. */
const AWAY_MS = 1_000;

/** OpenTelemetry's own: an export may take so long, and is tried again for so long. */
const exportWithin = (ms: number) => vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", String(ms));
beforeEach(() => void exportWithin(60_000));
afterEach(() => void vi.unstubAllEnvs());

function exportTo(url: string, intervalMs: number): OtlpMetricsConfig {
  return { url, intervalMs, timeoutMs: intervalMs };
}

function exportLog({ logLines }: Latchkey): string[] {
  return logLines.map((line) => JSON.parse(line).msg).filter((msg) => /^metrics are|^metrics cannot/.test(msg));
}

async function latestOf(collector: Collector) {
  const body = collector.metricBodies.at(-1);
  if (body === undefined) throw new Error("no metrics were exported");
  return decodeMetrics(body);
}

test("a collector gets at the stop every metric that is scraped, with the same names, labels and values", async () => {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const { latchkey, close } = await startBusyService({ otlpMetrics: exportTo(collector.metricsUrl, NEVER_MS) });
  const samples = await scrape(latchkey.url);
  await close();
  const metrics = await latestOf(collector);
  const found = (name: string) => {
    const metric = metrics.find((each) => each.name === name);
    if (metric === undefined) throw new Error(`no ${name}`);
    return metric;
  };
  const baseName = ({ name, labels }: Sample) => ("le" in labels ? name.replace(/_bucket$/, "") : name);
  const scraped = new Set(samples.filter(({ name }) => /^latchkey_/.test(name)).map(baseName));
  const exported = new Set(
    metrics.flatMap(({ name, kind }) => (kind === "histogram" ? [name, `${name}_sum`, `${name}_count`] : [name])),
  );
  expect([...scraped].filter((name) => !exported.has(name))).toEqual([]);

  const durations = found("latchkey_request_duration_seconds");
  expect(durations).toMatchObject({ kind: "histogram", unit: "s", isCumulative: true });
  const labels = { procedure: "latchkey.v1.AuthService/Verify", protocol: "http", code: "ok", status: "200" };
  const point = durations.points.find(({ attributes }) =>
    Object.entries(labels).every(([name, value]) => attributes[name] === value),
  );
  const count = sumOf(samples, "latchkey_request_duration_seconds_count", labels);
  expect(point).toMatchObject({ attributes: labels, count });
  expect(point?.attributes).not.toHaveProperty("denial_reason");
  expect(point?.sum).toBeCloseTo(sumOf(samples, "latchkey_request_duration_seconds_sum", labels), 9);
  expect(point?.bucketCounts.reduce((sum, each) => sum + each, 0)).toBe(count);
  expect(point?.bucketCounts).toHaveLength((point?.bounds.length ?? 0) + 1);
  const inTenMs = sumOf(samples, "latchkey_request_duration_seconds_bucket", { ...labels, le: "0.01" });
  expect(point?.bucketCounts.slice(0, 4).reduce((sum, each) => sum + each, 0)).toBe(inTenMs);

  const stored = found("latchkey_usage_stored_verifications_total");
  expect(stored).toMatchObject({ kind: "sum", isCumulative: true, isMonotonic: true });
  expect(stored.points[0]?.value).toBeGreaterThanOrEqual(5);
  expect(stored.points[0]?.startMs).toBeCloseTo(performance.timeOrigin, -2);
  expect(found("latchkey_build_info")).toMatchObject({ kind: "gauge", points: [{ value: 1 }] });
  expect(stored.resource).toMatchObject({
    "service.name": "latchkey",
    "service.version": expect.stringMatching(/^\d/),
    "service.instance.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

test("metrics are exported in each interval, also while no request comes", async () => {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const latchkey = await startLatchkey({ config: { otlpMetrics: exportTo(collector.metricsUrl, 20) } });
  onTestFinished(() => latchkey.close());
  await expect.poll(() => collector.metricBodies.length).toBeGreaterThan(2);
});

test("while the collector is unavailable requests get responses, and the log says once that it is, and once that it is back", async () => {
  exportWithin(AWAY_MS);
  const port = await freePort();
  const latchkey = await startLatchkey({
    config: { otlpMetrics: exportTo(`http://127.0.0.1:${port}/v1/metrics`, 50) },
  });
  onTestFinished(() => latchkey.close());
  const dropped = "metrics cannot be exported, and are dropped";
  await expect.poll(() => exportLog(latchkey)).toEqual([dropped]);
  expect((await latchkey.call("/api/v1/api-keys/list", {})).status).toBe(401);
  const collector = await startCollector({ port });
  onTestFinished(() => collector.close());
  await expect.poll(() => exportLog(latchkey)).toEqual([dropped, "metrics are exported again"]);
});

test("a collector that does not answer does not prevent a stop", async () => {
  const collector = await startCollector({ hangs: true });
  onTestFinished(() => collector.close());
  const latchkey = await startLatchkey({ config: { otlpMetrics: exportTo(collector.metricsUrl, NEVER_MS) } });
  const before = performance.now();
  await latchkey.close();
  expect(performance.now() - before).toBeLessThan(10_000);
  expect(collector.metricBodies).toHaveLength(1);
});
