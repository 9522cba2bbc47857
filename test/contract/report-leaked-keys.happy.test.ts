// promise: leaks.anyone, leaks.disabled
import { afterAll, describe, expect, test } from "vitest";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { eventsOf } from "../harness/audit.ts";
import { secretKeyClient } from "../harness/clients.ts";
import { dashboardOf, instant, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { newAddress, report, startWithAddresses } from "../harness/leaks.ts";
import { operatorOf } from "../harness/operator.ts";
import { scrape, sumOf } from "../harness/scrape.ts";

const URL_OF_LEAK = "https://github.com/octocat/hello/blob/main/.env";

const latchkey = await startWithAddresses();
afterAll(() => latchkey.close());

describe("a secret key that is reported", () => {
  test("is disabled before the response, and its record says when and where it was found", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    expect(await useKey(latchkey, key)).toBe("admitted");
    const answer = await report(latchkey, [{ key, url: URL_OF_LEAK, source: "gist" }]);
    expect([answer.status, answer.text]).toEqual([200, "{}"]);
    expect(await useKey(latchkey, key)).toBe("api_key_disabled");
    const record = await dashboard.result("get", { key_id });
    const leak = { leaked_at: record.updated_at, leak_url: URL_OF_LEAK, leak_source: "gist" };
    expect(record).toMatchObject({ status: "KEY_STATUS_DISABLED", ...leak });
    const { json } = await dashboard.call("list", {});
    expect(json.keys[0]).toMatchObject(leak);
    const found = await operatorOf(latchkey).answer("keys/find", { key_id });
    expect(found.keys[0]).toMatchObject(leak);
  });

  test("may be reported without a place; members that are not known are absent, as on keys never reported", async () => {
    const dashboard = dashboardOf(latchkey);
    const [reported, other] = [await dashboard.createKey(), await dashboard.createKey()];
    await report(latchkey, [{ key: reported.key }]);
    const record = await dashboard.result("get", { key_id: reported.key_id });
    expect(record.leaked_at).toBe(record.updated_at);
    expect(Object.keys(record).filter((name) => name.startsWith("leak"))).toEqual(["leaked_at"]);
    const untouched = await dashboard.result("get", { key_id: other.key_id });
    expect(Object.keys(untouched).filter((name) => name.startsWith("leak"))).toEqual([]);
  });

  test("is in the audit trail of its tenant, by an actor without an identity, with the reporter's address", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    const address = newAddress();
    await report(latchkey, [{ key, url: URL_OF_LEAK }], { "x-forwarded-for": address });
    const [event, ...others] = await eventsOf(latchkey, dashboard.tenant, { action: "api_key.leaked" });
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      action: "api_key.leaked",
      target_id: key_id,
      address,
      actor: { kind: "anonymous", user_id: "", issuer: "", key_id: "", operator_token: 0 },
      changes: { leaked_at: { old: null }, leak_url: { old: null, new: URL_OF_LEAK }, disabled_at: { old: null } },
    });
    expect(await eventsOf(latchkey, dashboard.tenant, { actor_id: "anonymous" })).toEqual([event]);
  });

  test("is a warning in the log, and counted by a metric", async () => {
    const counted = async () =>
      sumOf(await scrape(latchkey.url), "latchkey_leaked_keys_total", { reporter: "anonymous" });
    const before = await counted();
    const line = latchkey.logLines.length;
    const { key, key_id } = await dashboardOf(latchkey).createKey();
    await report(latchkey, [{ key, url: URL_OF_LEAK }]);
    await report(latchkey, [{ key }, { key: makeSecret("secret") }]);
    const lines = latchkey.logLines.slice(line).map((text) => JSON.parse(text));
    const warnings = lines.filter(({ msg }) => msg === "a key was reported as leaked and is disabled");
    expect(warnings).toEqual([
      expect.objectContaining({ level: 40, key_id, reporter: "anonymous", leak_url: URL_OF_LEAK }),
    ]);
    expect(await counted()).toBe(before + 1);
  });

  test("can be enabled again by the tenant, and keeps the place; the next report disables it again", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    await report(latchkey, [{ key, url: URL_OF_LEAK }]);
    expect(await dashboard.result("enable", { key_id })).toMatchObject({ leak_url: URL_OF_LEAK });
    expect(await useKey(latchkey, key)).toBe("admitted");
    await report(latchkey, [{ key, source: "again" }]);
    expect(await useKey(latchkey, key)).toBe("api_key_disabled");
    const record = await dashboard.result("get", { key_id });
    expect(record.leak_source).toBe("again");
    expect(record.leak_url).toBeUndefined();
  });

  test("keeps the place of the first report while it is disabled for it", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    await report(latchkey, [
      { key, url: URL_OF_LEAK },
      { key, url: "https://example.com/second" },
    ]);
    await report(latchkey, [{ key, url: "https://example.com/third" }]);
    expect((await dashboard.result("get", { key_id })).leak_url).toBe(URL_OF_LEAK);
    expect(await eventsOf(latchkey, dashboard.tenant, { action: "api_key.leaked" })).toHaveLength(1);
  });

  test("and was disabled before gets the place, and stays disabled since then", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey();
    await dashboard.result("disable", { key_id });
    await report(latchkey, [{ key, url: URL_OF_LEAK }]);
    expect(await dashboard.result("get", { key_id })).toMatchObject({
      status: "KEY_STATUS_DISABLED",
      leak_url: URL_OF_LEAK,
    });
  });
});

test("a hundred keys of several tenants are disabled by one report", async () => {
  const dashboards = [dashboardOf(latchkey), dashboardOf(latchkey)];
  const keys = await Promise.all(dashboards.flatMap((one) => Array.from({ length: 5 }, () => one.createKey())));
  const others = Array.from({ length: 90 }, () => ({ key: makeSecret("secret") }));
  await report(latchkey, [...others, ...keys.map(({ key }) => ({ key }))]);
  for (const { key } of keys) expect(await useKey(latchkey, key)).toBe("api_key_disabled");
});

describe("a report leaves as it is", () => {
  test("a publishable key, which is public", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ ...PUBLISHABLE, permissions: ["plans:read"] });
    const before = await dashboard.result("get", { key_id });
    expect((await report(latchkey, [{ key, url: URL_OF_LEAK }])).text).toBe("{}");
    expect(await dashboard.result("get", { key_id })).toEqual(before);
  });

  test("a key that was revoked or has expired", async () => {
    const dashboard = dashboardOf(latchkey);
    const revoked = await dashboard.createKey();
    await dashboard.result("revoke", { key_id: revoked.key_id });
    const expired = await dashboard.createKey({ expires_at: instant(latchkey, 10_000) });
    latchkey.clock.advance(11_000);
    for (const { key, key_id } of [revoked, expired]) {
      const before = await dashboard.result("get", { key_id });
      await report(latchkey, [{ key, url: URL_OF_LEAK }]);
      expect(await dashboard.result("get", { key_id })).toEqual(before);
    }
  });
});

test("the client reports a key, whatever its own credentials", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key } = await dashboard.createKey();
  await secretKeyClient(latchkey, makeSecret("secret")).leaks.reportLeakedKeys({
    reports: [{ key, url: URL_OF_LEAK }],
  });
  expect(await useKey(latchkey, key)).toBe("api_key_disabled");
});
