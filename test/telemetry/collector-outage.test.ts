import type { IncomingHttpHeaders } from "node:http";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { TracingConfig } from "../../src/config/settings.ts";
import { startCollector } from "../harness/collector.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { tracingTo } from "../harness/tracing-config.ts";
import { freePort } from "../servers/free-port.ts";

const LIST = "/api/v1/api-keys/list";
const NEVER_MS = 600_000;
/** For a collector that is away, and long enough for one that is back. */
const AWAY_MS = 1_000;

/** OpenTelemetry's own: an export may take so long, and is tried again for so long. */
const exportWithin = (ms: number) => vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", String(ms));
beforeEach(() => void exportWithin(60_000));
afterEach(() => void vi.unstubAllEnvs());

function start(tracing: TracingConfig): Promise<Latchkey> {
  return startLatchkey({ config: { tracing } });
}

function exportLog({ logLines }: Latchkey): string[] {
  return logLines.map((line) => JSON.parse(line).msg).filter((msg) => /^spans /.test(msg));
}

async function answers(latchkey: Latchkey, count: number): Promise<void> {
  for (let n = 0; n < count; n++) expect((await latchkey.call(LIST, {})).status).toBe(401);
}

test("while the collector is unavailable requests get responses, and the log says once that it is, and once that it is back", async () => {
  exportWithin(AWAY_MS);
  const port = await freePort();
  const latchkey = await start(tracingTo(`http://127.0.0.1:${port}/v1/traces`));
  onTestFinished(() => latchkey.close());
  const dropped = "spans cannot be exported, and are dropped";
  await answers(latchkey, 3);
  await expect.poll(() => exportLog(latchkey)).toEqual([dropped]);
  await answers(latchkey, 3);

  const collector = await startCollector({ port });
  onTestFinished(() => collector.close());
  await expect
    .poll(async () => {
      await answers(latchkey, 1);
      return exportLog(latchkey);
    })
    .toEqual([dropped, "spans are exported again"]);
  expect(collector.spans.length).toBeGreaterThan(0);
});

test("a process that stops sends the queued spans", async () => {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const latchkey = await start(tracingTo(collector.url, { scheduledDelayMillis: NEVER_MS }));
  await answers(latchkey, 3);
  expect(collector.spans).toEqual([]);
  await latchkey.close();
  expect(collector.spans).toHaveLength(3);
});

test("a collector that does not answer loses only the spans beyond the queue, and does not prevent a stop", async () => {
  const collector = await startCollector({ hangs: true });
  onTestFinished(() => collector.close());
  const latchkey = await start(tracingTo(collector.url, { maxQueueSize: 2, scheduledDelayMillis: NEVER_MS }));
  await answers(latchkey, 10);
  const before = performance.now();
  await latchkey.close();
  expect(performance.now() - before).toBeLessThan(10_000);
  // Two that were under way, and two that waited.
  expect(collector.spans).toHaveLength(4);
});

test("the answer of a collector, which may repeat credentials, is not logged, whatever its length", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20collectors-token");
  const refusal = (headers: IncomingHttpHeaders) => `you sent ${headers.authorization}${"x".repeat(3_000_000)}`;
  const collector = await startCollector({ refusal });
  onTestFinished(() => collector.close());
  const latchkey = await start(tracingTo(collector.url));
  onTestFinished(() => latchkey.close());
  await answers(latchkey, 1);
  await expect.poll(() => exportLog(latchkey)).toEqual(["spans cannot be exported, and are dropped"]);
  expect(collector.headers).toMatchObject({ authorization: "Bearer collectors-token" });
  const lines = latchkey.logLines.join("");
  expect(lines).not.toContain("collectors-token");
  expect(lines.length).toBeLessThan(20_000);
});
