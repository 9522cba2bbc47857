import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleBench, goTo, holdTime, passTime, startConsole, type Visit } from "../harness/console.ts";
import { eventually } from "../harness/eventually.ts";
import { report } from "../harness/leaks.ts";
import { HOUR } from "../harness/test-clock.ts";

const DAY = 24 * HOUR;

let bench: ConsoleBench;
/** When a key was reported as leaked. */
let reportedAt: Date;

beforeAll(async () => {
  bench = await startConsole();
  await bench.found("ada", "Analytical Engines");
  await bench.found("cal", "Calm");
  const { call, latchkey } = bench;
  const create = async (sub: string, name: string, more: object = {}) =>
    (await call(sub, "api-keys/create", { name, permissions: ["plans:read"], ...more })).result;
  const use = (key: string, body: object = {}) => latchkey.call("/api/v1/auth/verify", body, { "x-api-key": key });
  latchkey.clock.advance(-40 * DAY);
  await create("ada", "Forgotten");
  latchkey.clock.advance(40 * DAY);
  const expires_at = new Date(latchkey.clock.now().getTime() + 3 * DAY).toISOString();
  await create("ada", "Nightly batch", { expires_at });
  const leaked = await create("ada", "In a repository");
  const backend = await create("ada", "Backend");
  for (let n = 0; n < 8; n++) await use(backend.key);
  for (let n = 0; n < 2; n++) await use(backend.key, { scope: "plans:write" });
  expect((await report(latchkey, [{ key: leaked.key }])).status).toBe(200);
  reportedAt = latchkey.clock.now();
  const calm = await create("cal", "Backend");
  await use(calm.key);
  const total = async (sub: string) => (await call(sub, "usage/get")).result.total_verifications;
  await eventually(async () => expect([await total("ada"), await total("cal")]).toEqual([10, 1]));
});

afterAll(() => bench.close());

async function openOverview(sub: string, settings: Parameters<ConsoleBench["signIn"]>[1] = {}): Promise<Visit> {
  const visit = await bench.signIn(sub, settings);
  await goTo(visit.page, "Overview");
  await visit.page.getByRole("heading", { name: "Overview" }).waitFor();
  return visit;
}

const isWiderThanPage = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
const figures = (page: Page) => page.locator(".figure-value").allTextContents();
const attention = async (page: Page): Promise<string[]> =>
  (await page.locator(".attention > li").allTextContents()).map((text) => text.replaceAll(/\s+/g, " "));

describe("the overview", () => {
  test("is the first page, with the keys, the requests of a day and the rate of denials", async () => {
    const { page, close } = await bench.signIn("ada");
    await page.goto(bench.url);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(page.url()).toBe(bench.url);
    await expect.poll(() => figures(page)).toEqual(["3", "10", "20%"]);
    await page.getByRole("img", { name: /^Requests by hour\. Successful: 8, Denied: 2\./ }).waitFor();
    await close();
  });

  test("lists what needs attention, the most urgent first, and leads to it", async () => {
    const { page, close } = await bench.signIn("ada");
    // Otherwise the report would be a minute old on a busy machine.
    await page.clock.setFixedTime(reportedAt);
    await goTo(page, "Overview");
    await expect
      .poll(() => attention(page))
      .toEqual([
        "LeakedIn a repositoryreported just now: replace and revoke it",
        "ExpiresNightly batchin 3 days",
        "DeniedScope missing2 requests in the last 24 hours",
        "UnusedForgottenlast used never",
      ]);
    await page.getByRole("link", { name: "Scope missing" }).click();
    await page.getByRole("heading", { name: "Scope missing: keys in the last 24 hours" }).waitFor();
    await expect
      .poll(() => page.getByRole("region", { name: "Keys that were denied" }).locator("tbody tr").allTextContents())
      .toEqual(["Backend2"]);
    await close();
  });

  test("says so where nothing needs attention", async () => {
    const { page, close } = await openOverview("cal");
    await page.getByText("Nothing: no key is leaked").waitFor();
    await expect.poll(() => page.getByText("Get started").count()).toBe(0);
    await close();
  });

  test("keeps what it shows when the next load fails", async () => {
    const { page, close } = await bench.signIn("cal");
    await holdTime(page);
    await goTo(page, "Overview");
    await page.getByText("Nothing: no key is leaked").waitFor();
    await expect.poll(() => figures(page)).toEqual(["1", "1", "0%"]);
    await page.route("**/latchkey.v1.UsageService/GetUsage", (route) =>
      route.fulfill({ status: 500, json: { code: "internal", message: "The database is away." } }),
    );
    await passTime(page, 31_000, () => page.getByText("The database is away.").isVisible());
    expect(await figures(page)).toEqual(["1", "1", "0%"]);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The database is away.").waitFor({ state: "detached" });
    await close();
  });

  test.each(["light", "dark"] as const)("has no finding of axe in %s, from 360 px on", async (colorScheme) => {
    const { page, close, findings, picture } = await openOverview("ada", { colorScheme });
    await page.getByRole("img", { name: /^Requests by hour/ }).waitFor();
    await expect.poll(() => attention(page)).toHaveLength(4);
    for (const width of [360, 390, 1_280, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findings()).toEqual([]);
      await expect.poll(() => page.evaluate(isWiderThanPage)).toBe(false);
      await picture(`overview-${colorScheme}-${width}`);
    }
    await close();
  });
});

test("an organization without a key has four steps, which are ticked as they are done, wherever that is", async () => {
  await bench.found("eve", "New");
  const { page, close, findings, picture } = await bench.signIn("eve");
  await holdTime(page);
  await goTo(page, "Overview");
  const steps = () => page.locator(".checklist h3").allTextContents();
  const names = ["Have an organization", "Create a key", "Send the first request", "Invite a colleague"];
  const expectDone = (done: readonly boolean[]) => {
    const expected = names.map((name, n) => `${name}: ${done[n] ? "done" : "to do"}`);
    return passTime(page, 11_000, async () => (await steps()).join() === expected.join());
  };
  await expectDone([true, false, false, false]);
  expect(await findings()).toEqual([]);
  await picture("overview-new");
  const { result } = await bench.call("eve", "api-keys/create", { name: "First", permissions: ["plans:read"] });
  await expectDone([true, true, false, false]);
  await bench.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": result.key });
  await expectDone([true, true, true, false]);
  await bench.join("vera", "eve", "viewer");
  await expectDone([true, true, true, true]);
  await close();
});

test("a role without api_keys:read begins at the first page that it may see", async () => {
  const own = await startConsole({ roles: { clerk: ["org:read"] } });
  await own.found("ada", "Analytical Engines");
  await own.join("carl", "ada", "clerk");
  const { page, close } = await own.signIn("carl");
  await page.goto(own.url);
  await page.getByRole("heading", { name: "Members" }).first().waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Overview" }).count()).toBe(0);
  await close();
  await own.close();
});
