import { afterEach, describe, expect, inject, test } from "vitest";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { scrape, sumOf } from "../harness/scrape.ts";
import { copyDatabase } from "../servers/postgres.ts";

/** The record of all key formats, which is read at the start. */
const AT_START = 1;
/** With those of one key, of its tenant and of the dashboard user, and what is left of them when the key has changed. */
const ALL = AT_START + 3;
const WITHOUT_KEY = AT_START + 2;

let latchkey: Latchkey;

afterEach(() => latchkey?.close());

async function metric(name: string): Promise<number> {
  return sumOf(await scrape(latchkey.url), name);
}

const waits = () => metric("latchkey_key_change_wait_seconds_count");

describe("the metrics of cached keys", () => {
  test("show records and bytes, the lease, and how long changes waited for the replicas", async () => {
    const storage = { kind: "postgres", url: await copyDatabase(inject("servingTemplate").adminUrl) } as const;
    latchkey = await startLatchkey({ config: { storage } });
    expect(await metric("latchkey_key_lease_held")).toBe(1);
    expect(await metric("latchkey_key_cache_records")).toBe(AT_START);
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    expect(await waits()).toBe(0);
    await useKey(latchkey, key);
    expect(await metric("latchkey_key_cache_records")).toBe(ALL);
    expect(await metric("latchkey_key_cache_bytes")).toBeGreaterThan(1_000);
    await dashboard.result("revoke", { key_id });
    expect(await waits()).toBe(1);
    expect(await metric("latchkey_key_change_wait_seconds_sum")).toBeLessThan(6);
    expect(await metric("latchkey_key_cache_records")).toBe(WITHOUT_KEY);
  });

  test("show that an embedded database needs no lease, and that its changes do not wait", async () => {
    latchkey = await startLatchkey({ config: { storage: { kind: "embedded", dataDir: "memory://" } } });
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    await useKey(latchkey, key);
    expect([await metric("latchkey_key_lease_held"), await metric("latchkey_key_cache_records")]).toEqual([1, ALL]);
    await dashboard.result("revoke", { key_id });
    expect([await waits(), await metric("latchkey_key_cache_records")]).toEqual([0, WITHOUT_KEY]);
  });
});
