// promise: paths.metrics
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type BusyService, startBusyService } from "../harness/busy-service.ts";
import { startLatchkey } from "../harness/latchkey.ts";
import { type Sample, scrape, sumOf } from "../harness/scrape.ts";

let busy: BusyService;
let samples: readonly Sample[];

beforeAll(async () => {
  busy = await startBusyService();
  samples = await scrape(busy.latchkey.url);
});
afterAll(() => busy.close());

const sum = (name: string, labels?: Record<string, string>) => sumOf(samples, name, labels);

/** The values of a label of a metric. */
function valuesOf(name: string, label: string): string[] {
  return [...new Set(samples.filter((sample) => sample.name === name).map(({ labels }) => labels[label] ?? ""))].sort();
}

describe("the metrics", () => {
  test("are in OpenMetrics where a scraper prefers it, with the same samples", async () => {
    const get = async (accept: string) => {
      const answer = await fetch(`${busy.latchkey.url}/metrics`, { headers: { accept } });
      return { type: answer.headers.get("content-type"), text: await answer.text() };
    };
    const plain = await get("*/*");
    const open = await get("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2");
    expect(plain.type).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(open.type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect(open.text).toMatch(/\n# EOF\n$/);
    const series = (text: string) => new Set(text.match(/^[a-z]\w*(?:\{[^}]*\})?/gm));
    // Requests between the two answers may have added some.
    expect([...series(plain.text)].filter((name) => !series(open.text).has(name))).toEqual([]);
  });

  test("count requests by RPC, protocol, code and reason of denial", () => {
    const verified = (labels: Record<string, string>) =>
      sum("latchkey_request_duration_seconds_count", { procedure: "latchkey.v1.AuthService/Verify", ...labels });
    expect(verified({ code: "ok" })).toBe(5);
    expect(verified({ protocol: "http", code: "ok" })).toBe(2);
    for (const protocol of ["connect", "grpc", "grpc_web"]) expect(verified({ protocol })).toBe(1);
    expect(verified({ protocol: "http", code: "unauthenticated", denial_reason: "api_key_revoked" })).toBe(1);
    expect(valuesOf("latchkey_request_duration_seconds_count", "protocol")).toEqual([
      "connect",
      "grpc",
      "grpc_web",
      "http",
    ]);
  });

  test("count the requests in flight, without probes such as the scrape", () => {
    expect(sum("latchkey_requests_in_flight")).toBe(0);
  });

  test("show each pool of PostgreSQL, and how long its statements take", async () => {
    for (const [pool, max] of [
      ["requests", 10],
      ["lists", 2],
      ["control", 2],
    ] as const) {
      expect(sum("latchkey_postgres_connections_max", { pool })).toBe(max);
      expect(sum("latchkey_postgres_connections", { pool })).toBeLessThanOrEqual(max);
      // On a busy machine a look at the changes may have waited for a moment.
      const pending = async () =>
        sumOf(await scrape(busy.latchkey.url), "latchkey_postgres_pending_requests", { pool });
      await expect.poll(pending).toBe(0);
      expect(sum("latchkey_postgres_statement_duration_seconds_count", { pool })).toBeGreaterThan(0);
    }
    expect(valuesOf("latchkey_postgres_connections", "state")).toEqual(["idle", "used"]);
  });

  test("show the timeline of PostgreSQL, which begins at 1", () => {
    expect(sum("latchkey_postgres_timeline")).toBeGreaterThan(0);
  });

  test("show how long Redis, the key set of the dashboard and the model take", () => {
    // One for each use of the key.
    expect(sum("latchkey_redis_call_duration_seconds_count")).toBeGreaterThanOrEqual(5);
    const fetches = "latchkey_key_set_fetch_duration_seconds_count";
    expect(sum(fetches, { owner: "operator", outcome: "ok" })).toBe(1);
    expect(sum(fetches)).toBe(1);
    expect(sum("latchkey_model_call_duration_seconds_count", { outcome: "ok" })).toBe(1);
  });

  test("count records that were found in memory, and those that were read", () => {
    expect(sum("latchkey_record_lookups_total", { source: "memory" })).toBeGreaterThan(4);
    expect(sum("latchkey_record_lookups_total", { source: "database" })).toBeGreaterThan(2);
  });

  test("show for what the change of the key waited", () => {
    const waits = "latchkey_key_change_wait_seconds_count";
    expect(sum(waits)).toBe(1);
    expect(valuesOf(waits, "waited_for")).toEqual(["late_commit", "new_server", "replicas", "silent_replicas"]);
  });

  test("show the runs that have not ended, and the oldest of them", () => {
    expect(valuesOf("latchkey_runs", "state")).toEqual(["queued", "retrying", "running"]);
    expect(valuesOf("latchkey_runs_oldest_age_seconds", "state")).toEqual(["queued", "retrying", "running"]);
    expect(sum("latchkey_run_attempts_total", { outcome: "completed" })).toBe(1);
  });

  test("count usage that waits, is stored and is lost: each verification once", async () => {
    const name = (what: string) => `latchkey_usage_${what}_verifications`;
    expect(sum(name("waiting")) + sum(`${name("stored")}_total`)).toBeGreaterThanOrEqual(5);
    expect(sum(`${name("lost")}_total`)).toBe(0);
    await expect.poll(async () => sumOf(await scrape(busy.latchkey.url), name("waiting"))).toBe(0);
  });

  test("name the versions of the service and of Node", () => {
    const version = { version: packageJson.version, node: process.versions.node };
    expect(sum("latchkey_build_info", version)).toBe(1);
  });

  test("have names with the unit they count in, and a help text", async () => {
    const text = await (await fetch(`${busy.latchkey.url}/metrics`)).text();
    const types = [...text.matchAll(/^# TYPE (latchkey_\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => [name, type]);
    expect(types.length).toBeGreaterThan(20);
    for (const [name, type] of types) {
      if (type === "counter") expect(name).toMatch(/_total$/);
      if (type === "histogram") expect(name).toMatch(/_seconds$/);
      expect(text).toMatch(new RegExp(`^# HELP ${name} [A-Z01].{10,}`, "m"));
    }
  });
});

test("labels have few values, whatever callers send", async () => {
  const { latchkey } = busy;
  const before = (await scrape(latchkey.url)).length;
  for (let n = 0; n < 50; n++) {
    await fetch(`${latchkey.url}/unknown-${n}`, { method: n % 2 === 0 ? "GET" : "POST" });
    await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": `sk_${n}`, "content-type": "application/json" });
    await fetch(`${latchkey.url}/api/v1/auth/verify`, { method: "POST", headers: { "content-type": `x/y${n}` } });
  }
  // Three or four histograms more, of 17 lines each.
  expect((await scrape(latchkey.url)).length - before).toBeLessThan(5 * 17);
});

test("an embedded store has no pools, and its metrics are there without Redis and a model", async () => {
  const latchkey = await startLatchkey({ config: { storage: { kind: "embedded", dataDir: "memory://" } } });
  try {
    const names = new Set((await scrape(latchkey.url)).map(({ name }) => name));
    expect([...names].filter((name) => /^latchkey_(?:postgres_(?!up)|redis_|model_)/.test(name))).toEqual([]);
    expect(names).toContain("latchkey_record_lookups_total");
  } finally {
    await latchkey.close();
  }
});
