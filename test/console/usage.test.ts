import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REASONS_IN_WORDS } from "../../console/src/usage/reasons.ts";
import { toneOf } from "../../console/src/usage/tones.ts";
import { DENIALS } from "../../src/domain/vocabulary/denial.ts";
import {
  type ConsoleBench,
  goTo,
  holdTime,
  leaveEndingHour,
  passTime,
  startConsole,
  type Visit,
} from "../harness/console.ts";
import { eventually } from "../harness/eventually.ts";
import { HOUR } from "../harness/test-clock.ts";

let bench: ConsoleBench;
let keyId: string;

beforeAll(async () => {
  bench = await startConsole();
  leaveEndingHour(bench.latchkey);
  await bench.found("ada", "Analytical Engines");
  await bench.join("vera", "ada", "viewer");
  await bench.found("eve", "Unused");
  await bench.join("victor", "eve", "viewer");
  keyId = await useKeys();
});

afterAll(() => bench.close());

/** Four successes, and denials for three reasons, now; more of them in the hours before. */
async function useKeys(): Promise<string> {
  const { latchkey, call } = bench;
  const { result: backend } = await call("ada", "api-keys/create", { name: "Backend", permissions: ["plans:read"] });
  const limits = { requests_per_minute: 2, burst_size: 2 };
  const batch = { name: "Nightly batch", permissions: ["plans:read"], rate_limit: limits };
  const { result: limited } = await call("ada", "api-keys/create", batch);
  const { result: old } = await call("ada", "api-keys/create", { name: "Old", permissions: ["plans:read"] });
  await call("ada", "api-keys/revoke", { key_id: old.key_id });
  const use = (key: string, body: object = {}) => latchkey.call("/api/v1/auth/verify", body, { "x-api-key": key });
  for (const [hoursAgo, successes, denials] of [
    [19, 2, 0],
    [17, 5, 1],
    [13, 9, 3],
    [12, 7, 4],
    [6, 12, 0],
    [3, 8, 2],
  ] as const) {
    latchkey.clock.advance(-hoursAgo * HOUR);
    for (let n = 0; n < successes; n++) await use(backend.key);
    for (let n = 0; n < denials; n++) await use(backend.key, { scope: "plans:write" });
    latchkey.clock.advance(hoursAgo * HOUR);
  }
  for (let n = 0; n < 4; n++) await use(limited.key);
  await use(backend.key);
  await use(backend.key);
  await use(backend.key, { scope: "plans:write" });
  for (let n = 0; n < 3; n++) await use(old.key);
  const total = async () => (await call("ada", "usage/get")).result.total_verifications;
  await eventually(async () => expect(await total()).toBe(63));
  return backend.key_id;
}

async function openUsage(sub: string, settings: Parameters<ConsoleBench["signIn"]>[1] = {}): Promise<Visit> {
  const visit = await bench.signIn(sub, settings);
  await goTo(visit.page, "Usage");
  return visit;
}

const textsOf = (page: Page, selector: string) => page.locator(selector).allTextContents();
const isWiderThanPage = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

describe("the usage page", () => {
  test("shows the requests that were made: totals, denials by reason, each hour and the keys used most", async () => {
    const { page, close } = await openUsage("ada");
    await page.getByRole("heading", { name: "Most used keys" }).waitFor();
    await expect.poll(() => textsOf(page, ".totals dd")).toEqual(["63", "47 74.6%", "16 25.4%"]);
    await expect
      .poll(() => textsOf(page, ".usage-figures .legend li"))
      .toEqual(["Successful 47", "Denied 16", "Scope missing 11", "Key revoked 3", "Rate limit reached 2"]);
    await page.getByText("Show as a table").click();
    const table = page.getByRole("table", { name: "Requests by hour" });
    await expect
      .poll(() => table.getByRole("columnheader").allTextContents())
      .toEqual(["Hour", "Successful", "Denied", "Scope missing", "Key revoked", "Rate limit reached"]);
    const rows = await page.evaluate(
      `[...document.querySelectorAll(".usage-table tbody tr")].map((row) =>
        [...row.cells].slice(1).map((cell) => cell.textContent))`,
    );
    expect(rows).toEqual([
      ["4", "6", "1", "3", "2"],
      ["8", "2", "2", "0", "0"],
      ["12", "0", "0", "0", "0"],
      ["7", "4", "4", "0", "0"],
      ["9", "3", "3", "0", "0"],
      ["5", "1", "1", "0", "0"],
      ["2", "0", "0", "0", "0"],
    ]);
    await page
      .getByRole("img", {
        name: /^Requests by hour\. Successful: 47, Denied: 16\. The hour with most requests was .*, with 12\.$/,
      })
      .waitFor();
    await page
      .getByRole("img", {
        name: /^Denials by reason and hour\. Scope missing: 11, Key revoked: 3, Rate limit reached: 2\.$/,
      })
      .waitFor();
    const keys = page.getByRole("region", { name: "Most used keys" });
    await expect
      .poll(() => keys.locator("tbody tr").allTextContents())
      .toEqual(["Backend564511", "Nightly batch422", "Old303"]);
    await keys.getByRole("link", { name: "Backend" }).click();
    expect(page.url()).toBe(`${bench.url}/keys/${keyId}`);
    await close();
  });

  test("keeps the period in its address, and is used by only the keyboard", async () => {
    const { page, close } = await bench.signIn("vera");
    const focused = "document.activeElement.textContent";
    const goTo = async (name: string): Promise<void> => {
      for (let n = 0; (await page.evaluate(focused)) !== name; n++) {
        if (n === 30) throw new Error(`"${name}" is not reached by Tab`);
        await page.keyboard.press("Tab");
      }
    };
    await goTo("Usage");
    await page.keyboard.press("Enter");
    await page.getByText("Whole period").first().waitFor();
    await goTo("30 days");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "in the last 30 days" }).waitFor();
    await expect.poll(() => page.evaluate(focused)).toBe("30 days");
    expect(new URL(page.url()).search).toBe("?period=30d");
    await page.reload();
    await page.getByRole("button", { name: "30 days", pressed: true }).waitFor();
    await goTo("Show as a table");
    await page.keyboard.press("Enter");
    await page.getByRole("columnheader", { name: "Day (UTC)" }).waitFor();
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Requests by day");
    await goTo("Backend");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toBe(`${bench.url}/keys/${keyId}`);
    await close();
  });

  test("has the same requests in each period", async () => {
    const { page, close } = await openUsage("ada");
    for (const label of ["7 days", "90 days", "24 hours"]) {
      await page.getByRole("button", { name: label }).click();
      await page.getByRole("heading", { name: `in the last ${label}` }).waitFor();
      expect((await textsOf(page, ".totals dd"))[0], label).toBe("63");
    }
    await close();
  });

  test("says of what is shown what it is, while another period is loaded", async () => {
    const { page, close } = await openUsage("ada");
    await page.getByText("Scope missing").first().waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/latchkey.v1.UsageService/*", async (route) => {
      await released;
      return route.continue();
    });
    await page.getByRole("button", { name: "90 days" }).click();
    await page.getByRole("button", { name: "90 days", pressed: true }).waitFor();
    for (const name of ["Requests in the last 24 hours", "Most used keys in the last 24 hours"]) {
      const section = page.getByRole("region", { name });
      await expect.poll(() => section.getAttribute("aria-busy")).toBe("true");
    }
    await page.getByRole("img", { name: /^Requests by hour\. .* The hour with most requests was .*\d:\d\d/ }).waitFor();
    const opacity = `getComputedStyle(document.querySelector(".totals")).opacity`;
    expect(await page.evaluate(opacity)).toBe("0.5");
    release();
    await page.getByRole("region", { name: "Requests in the last 90 days" }).waitFor();
    await page.getByRole("img", { name: /^Requests by day\./ }).waitFor();
    await expect.poll(() => page.evaluate(opacity)).toBe("1");
    await page.unrouteAll({ behavior: "wait" });
    await close();
  });

  test("draws each reason in a tone of its own, known without its colour, and the hour under way dashed", async () => {
    const { page, close } = await openUsage("ada");
    await page.getByText("Scope missing").first().waitFor();
    const hatches = await page.evaluate(
      `[...document.querySelectorAll("figure:last-child .swatch")].map((swatch) => swatch.dataset.hatch)`,
    );
    expect(hatches).toEqual(["plain", "dots", "rising"]);
    const dashes = await page.evaluate(
      `[".bar-open .bar", "g:not(.bar-open) > g > .bar"].map((selector) =>
        getComputedStyle(document.querySelector(selector)).strokeDasharray)`,
    );
    expect(dashes).toEqual(["3px, 2px", "none"]);
    await close();
  });

  test("a click on a reason shows its keys, and the requests that were denied for it", async () => {
    const { page, close } = await openUsage("ada");
    await page.getByRole("button", { name: "Key revoked 3" }).click();
    await page.getByRole("heading", { name: "Key revoked: keys in the last 24 hours" }).waitFor();
    await expect.poll(() => page.locator(".scroll tbody tr").allTextContents()).toContain("Old3");
    await page.reload();
    await page.getByRole("button", { name: "Key revoked 3", pressed: true }).waitFor();
    await page.getByRole("link", { name: "Recent requests" }).click();
    await page.getByRole("heading", { name: "Requests" }).waitFor();
    await expect.poll(() => page.locator("tr.request").count()).toBe(3);
    await page.goBack();
    await page.getByRole("button", { name: "Show all keys" }).click();
    await page.getByRole("heading", { name: "Most used keys" }).waitFor();
    await close();
  });

  test("keeps the charts when the next load fails", async () => {
    const { page, close } = await bench.signIn("ada");
    await holdTime(page);
    await goTo(page, "Usage");
    await page.getByText("Scope missing").first().waitFor();
    await page.route("**/latchkey.v1.UsageService/GetUsage", (route) =>
      route.fulfill({ status: 500, json: { code: "internal", message: "The database is away." } }),
    );
    await passTime(page, 31_000, () => page.getByText("This may be out of date. The database is away.").isVisible());
    await page.getByRole("img", { name: /^Requests by hour/ }).waitFor();
    expect((await textsOf(page, ".totals dd"))[0]).toBe("63");
    await close();
  });

  test("shows the counts of the step below the pointer, in both charts", async () => {
    const { page, close } = await openUsage("ada");
    await page.getByText("Scope missing").first().waitFor();
    const { x, y, width, height } = (await page.locator(".bars").first().boundingBox()) ?? expect.fail("no chart");
    await page.mouse.move(x + width - 6, y + height / 2);
    await page
      .locator(".legend p", { hasText: /\d{4}, / })
      .nth(1)
      .waitFor();
    const { successful, denied } = (await bench.call("ada", "usage/get")).series.at(-1);
    const { insufficient_scope: scope = 0, api_key_revoked: revoked = 0, rate_limited: limited = 0 } = denied;
    const counts = [successful, scope + revoked + limited, scope, revoked, limited];
    await expect.poll(() => textsOf(page, ".legend li strong")).toEqual(counts.map(String));
    await page.mouse.move(0, 0);
    await page.getByText("Whole period").nth(1).waitFor();
    await expect.poll(() => textsOf(page, ".legend li strong")).toEqual(["47", "16", "11", "3", "2"]);
    await close();
  });

  test("draws the chart as wide as its container", async () => {
    const { page, close } = await openUsage("ada");
    await page.getByText("Scope missing").first().waitFor();
    for (const width of [360, 2_000]) {
      await page.setViewportSize({ width, height: 900 });
      const isFilled = `[...document.querySelectorAll(".bars")].every((bars) =>
        bars.clientWidth === bars.querySelector("svg").clientWidth)`;
      await expect.poll(() => page.evaluate(isFilled)).toBe(true);
      await expect.poll(() => page.evaluate(isWiderThanPage)).toBe(false);
    }
    await close();
  });

  test.each(["light", "dark"] as const)("has no finding of axe in %s, from 360 px on", async (colorScheme) => {
    const { page, close, findings, picture: save } = await openUsage("ada", { colorScheme });
    await page.getByRole("heading", { name: "Most used keys" }).waitFor();
    await page.getByText("Show as a table").click();
    for (const width of [360, 390, 1_280, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findings()).toEqual([]);
      await expect.poll(() => page.evaluate(isWiderThanPage)).toBe(false);
      await save(`usage-${colorScheme}-${width}`);
    }
    await close();
  });
});

describe("an organization without a request", () => {
  test("sees how to begin, and the first request soon after it", async () => {
    const { page, close, findings, picture: save } = await openUsage("eve");
    await page.getByText("No request with a key in the last 24 hours").waitFor();
    await expect
      .poll(() => page.getByRole("link", { name: "Create one" }).getAttribute("href"))
      .toBe("/console/keys/new");
    expect(await findings()).toEqual([]);
    await save("usage-empty");
    const viewer = await openUsage("victor");
    await viewer.page.getByText("No request with a key in the last 24 hours").waitFor();
    await expect.poll(() => viewer.page.getByRole("link", { name: "Create one" }).count()).toBe(0);
    await viewer.close();
    const command = await page.locator(".command").textContent();
    const { result } = await bench.call("eve", "api-keys/create", { name: "First", permissions: ["plans:read"] });
    const output = await promisify(execFile)("sh", ["-c", command ?? ""], {
      env: { ...process.env, LATCHKEY_KEY: result.key },
    });
    expect(JSON.parse(output.stdout)).toMatchObject({ key_id: result.key_id });
    await page.getByRole("link", { name: "First" }).waitFor();
    await close();
  });

  test("is asked to create a key if it has none, and never if it has one", async () => {
    const question = "You have no key yet?";
    await bench.found("nell", "No key");
    const asks = await openUsage("nell");
    await asks.page.getByText(question).waitFor();
    await asks.close();

    await bench.found("faye", "One key");
    const { result } = await bench.call("faye", "api-keys/create", { name: "Waiting", permissions: ["plans:read"] });
    const { page, close } = await bench.signIn("faye");
    await holdTime(page);
    await page.evaluate(
      `new MutationObserver(() => { globalThis.asked ||= document.body.textContent.includes(${JSON.stringify(question)}); })
        .observe(document.body, { childList: true, subtree: true, characterData: true })`,
    );
    const names = page.waitForResponse(/\/ListApiKeys/);
    await goTo(page, "Usage");
    await page.getByText("No request with a key in the last 24 hours").waitFor();
    await names;
    await bench.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": result.key });
    await passTime(page, 4_000, () => page.getByRole("link", { name: "Waiting" }).isVisible());
    // From before the keys were loaded until the first request was shown.
    expect(await page.evaluate("globalThis.asked ?? false")).toBe(false);
    await close();
  });
});

test("a denial because of the caller's address names the address wherever denials are shown", async () => {
  const words = "Address or origin not allowed";
  await bench.found("gail", "Fenced");
  const fenced = { name: "Fenced", permissions: ["plans:read"], allowed_ips: ["203.0.113.7"] };
  const { result } = await bench.call("gail", "api-keys/create", fenced);
  const denied = await bench.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": result.key });
  expect(denied.json).toMatchObject({ denial_reason: "origin_not_allowed" });
  const total = async () => (await bench.call("gail", "usage/get")).result.total_verifications;
  const listed = async () => (await bench.call("gail", "requests/list")).requests.length;
  await eventually(async () => expect([await total(), await listed()]).toEqual([1, 1]));

  const { page, close } = await openUsage("gail");
  await page.getByRole("img", { name: `Denials by reason and hour. ${words}: 1.` }).waitFor();
  await expect
    .poll(() => textsOf(page, ".usage-figures .legend li"))
    .toEqual(["Successful 0", "Denied 1", `${words} 1`]);
  await page.getByRole("button", { name: `${words} 1` }).click();
  await page.getByRole("heading", { name: `${words}: keys in the last 24 hours` }).waitFor();
  await goTo(page, "Requests");
  await expect.poll(() => textsOf(page, "tr.request .request-verdict")).toEqual([`Denied ${words}`]);
  await page.getByLabel("Reason").selectOption(words);
  expect(new URL(page.url()).search).toBe("?reason=origin_not_allowed");
  await goTo(page, "Overview");
  await expect.poll(() => textsOf(page, ".attention > li")).toContain(`Denied${words}1 request in the last 24 hours`);
  await close();
});

test("the page of a key has its counters since it was created, and its requests in a period", async () => {
  const { page, close, findings, picture: save } = await bench.signIn("ada");
  await page.getByRole("link", { name: "Backend" }).click();
  const usage = page.getByRole("region", { name: "Usage" });
  await usage.getByText("Scope missing").first().waitFor();
  await expect.poll(() => textsOf(page, ".totals dd")).toEqual(["56", "45 80.4%", "11 19.6%"]);
  await usage.getByRole("button", { name: "7 days" }).click();
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("7 days");
  await usage.getByText("In the last 7 days").waitFor();
  await usage.getByText("Scope missing").first().waitFor();
  await expect.poll(() => textsOf(page, ".legend li")).toEqual(["Successful 45", "Denied 11", "Scope missing 11"]);
  expect(new URL(page.url()).search).toBe("?period=7d");
  expect(await findings()).toEqual([]);
  await save("key-usage");
  await close();
});

test("no two reasons have the same tone, and each of the service has one", () => {
  const reasons = Object.keys(REASONS_IN_WORDS);
  const tones = reasons.map((reason) => JSON.stringify(toneOf(reason)));
  expect(new Set(tones).size).toBe(reasons.length);
  for (const reason of [...Object.keys(DENIALS), "not_found", "internal"])
    expect(toneOf(reason), reason).not.toEqual(toneOf("a reason of a later version"));
});
