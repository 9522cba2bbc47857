// promise: leaks.anyone, leaks.silent, leaks.places, leaks.limits
import { afterAll, describe, expect, test } from "vitest";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { dashboardOf, instant, PUBLISHABLE, useKey } from "../harness/key-management.ts";
import { newAddress, report, startWithAddresses } from "../harness/leaks.ts";
import { OPERATOR } from "../harness/operator.ts";

const latchkey = await startWithAddresses();
afterAll(() => latchkey.close());

/** A response as its caller sees it, without what differs between any two. */
function seen({ status, headers, text }: Awaited<ReturnType<typeof report>>) {
  const names = [...headers].filter(([name]) => !["x-request-id", "date"].includes(name));
  return { status, text, headers: Object.fromEntries(names) };
}

/** Keys that this service did not make, but could have made. */
const keys = (count: number) => Array.from({ length: count }, () => ({ key: makeSecret("secret") }));

test("the response is the same whatever is reported", async () => {
  const dashboard = dashboardOf(latchkey);
  const [active, disabled, revoked] = await Promise.all([1, 2, 3].map(() => dashboard.createKey()));
  const expired = await dashboard.createKey({ expires_at: instant(latchkey, 10_000) });
  const publishable = await dashboard.createKey({ ...PUBLISHABLE, permissions: ["plans:read"] });
  await dashboard.result("disable", { key_id: disabled?.key_id });
  await dashboard.result("revoke", { key_id: revoked?.key_id });
  latchkey.clock.advance(11_000);
  const keys = [active, disabled, revoked, expired, publishable].map((one) => one?.key ?? "");
  const texts = [...keys, active?.key ?? "", makeSecret("secret"), "sk_x", "x", "\u202e", "k".repeat(512)];
  const answers = [];
  for (const key of texts) answers.push(seen(await report(latchkey, [{ key }])));
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(answers[0]).toMatchObject({ status: 200, text: "{}" });
});

describe("credentials", () => {
  test("are not looked at: good, bad, several and none are the same", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key } = await dashboard.createKey({ permissions: ["*"] });
    const callers: Record<string, string>[] = [
      {},
      { "x-api-key": key },
      { "x-api-key": "sk_nonsense" },
      { "x-api-key": "nonsense", authorization: "Basic x" },
      { authorization: "Bearer x.y.z" },
      { "x-on-behalf-of": "someone" },
      OPERATOR,
      await latchkey.dashboard(),
    ];
    const answers = [];
    for (const headers of callers) answers.push(seen(await report(latchkey, [{ key: "sk_unknown" }], headers)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  test("are neither spent nor counted as a use", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ rate_limit: { requests_per_minute: 1 } });
    for (let n = 0; n < 3; n++) await report(latchkey, [{ key: "sk_unknown" }], { "x-api-key": key });
    expect((await dashboard.result("usage", { key_id })).total_verifications).toBe(0);
    expect(await useKey(latchkey, key)).toBe("admitted");
  });
});

describe("an address", () => {
  test("may report 200 keys in a minute, then it is 429 until the minute is over", async () => {
    const own = await startWithAddresses();
    const from = { "x-forwarded-for": newAddress() };
    const dashboard = dashboardOf(own);
    const { key } = await dashboard.createKey();
    expect((await report(own, keys(100), from)).status).toBe(200);
    own.clock.advance(20_000);
    expect((await report(own, keys(100), from)).status).toBe(200);
    const answer = await report(own, [{ key }], from);
    expect(answer.status).toBe(429);
    expect(answer.json).toMatchObject({
      code: "resource_exhausted",
      denial_reason: "rate_limited",
      message:
        "Too many keys were reported within a minute; wait for the seconds in Retry-After. See /docs/errors#rate_limited",
      rate_limit: { limit: 200, remaining: 0 },
    });
    const seconds = Number(answer.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(20);
    expect(seconds).toBeLessThanOrEqual(40);
    expect(await useKey(own, key)).toBe("admitted");
    expect((await report(own, [{ key: "sk_unknown" }])).status).toBe(200);
    own.clock.advance(40_000);
    expect((await report(own, [{ key }], from)).status).toBe(200);
    expect(await useKey(own, key)).toBe("api_key_disabled");
    await own.close();
  });

  test("is not shut out by texts that cannot be keys, nor by a key that is reported again", async () => {
    const own = await startWithAddresses();
    const from = { "x-forwarded-for": newAddress() };
    const texts = [
      "x",
      "sk_unknown",
      "k".repeat(512),
      `${makeSecret("secret").slice(0, -1)}~`,
      `${makeSecret("secret")} `,
    ];
    const junk = Array.from({ length: 100 }, (_, n) => ({ key: texts[n % texts.length] ?? "" }));
    for (let n = 0; n < 25; n++) expect((await report(own, junk, from)).status).toBe(200);
    const { key } = await dashboardOf(own).createKey();
    expect((await report(own, Array(100).fill({ key }), from)).status).toBe(200);
    expect(await useKey(own, key)).toBe("api_key_disabled");
    expect((await report(own, keys(100), from)).status).toBe(200);
    expect((await report(own, keys(100), from)).status).toBe(429);
    expect((await report(own, junk, from)).status).toBe(200);
    await own.close();
  });

  test("is one with all others of its IPv6 /64", async () => {
    const hundred = keys(100);
    const statuses = [];
    for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:2::3", "2001:db8:1:3::1"])
      statuses.push((await report(latchkey, hundred, { "x-forwarded-for": address })).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });
});

test("all addresses together may report 2,000 keys in a minute on one replica", async () => {
  const own = await startWithAddresses();
  for (let n = 0; n < 20; n++) expect((await report(own, keys(100))).status).toBe(200);
  expect((await report(own, keys(1))).status).toBe(429);
  await own.close();
});

test("a reported key is in no log line, no record and no event, also where it is in the URL or the source", async () => {
  const line = latchkey.logLines.length;
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey();
  await report(latchkey, [{ key, url: `https://example.com/?q=${key}`, source: `x ${key}` }]);
  const record = await dashboard.result("get", { key_id });
  expect(record).toMatchObject({ leak_url: "https://example.com/?q=...", leak_source: "x ..." });
  const audit = await latchkey.call("/api/v1/audit/list", {}, await latchkey.dashboard(dashboard.tenant));
  for (const text of [JSON.stringify(record), audit.text, latchkey.logLines.slice(line).join("")])
    expect(text).not.toContain(key.slice(3, 20));
});
