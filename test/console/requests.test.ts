import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleBench, goTo, holdTime, passTime, startConsole, type Visit } from "../harness/console.ts";
import { eventually } from "../harness/eventually.ts";
import { requestIdOf } from "../harness/recent-requests.ts";

const MANY = 60;

let bench: ConsoleBench;
/** The key of Analytical Engines that is used most. */
let keyId: string;
/** Of the request that lacked a scope. */
let lackedScope: string;

beforeAll(async () => {
  // Each sees keys, and not their requests.
  bench = await startConsole({ roles: { auditor: ["api_keys:read", "audit:read"] } });
  await bench.found("ada", "Analytical Engines");
  await bench.join("vera", "ada", "viewer");
  await bench.found("eve", "Unused");
  const { call, latchkey } = bench;
  const use = async (key: string, body: object, requestId?: string): Promise<string> => {
    const headers = { "x-api-key": key, ...(requestId && { "x-request-id": requestId }) };
    return requestIdOf(await latchkey.call("/api/v1/auth/verify", body, headers));
  };
  const { result: backend } = await call("ada", "api-keys/create", { name: "Backend", permissions: ["plans:read"] });
  const { result: old } = await call("ada", "api-keys/create", { name: "Old", permissions: ["plans:read"] });
  keyId = backend.key_id;
  await call("ada", "api-keys/revoke", { key_id: old.key_id });
  await use(backend.key, {}, "req_admitted");
  latchkey.clock.advance(1_000);
  lackedScope = await use(backend.key, { scope: "plans:write" });
  latchkey.clock.advance(1_000);
  await use(old.key, {}, "req_revoked");
  const listed = async (sub: string) => (await call(sub, "requests/list", { per_page: 100 })).requests.length;
  await eventually(async () => expect(await listed("ada")).toBe(3));
  await bench.found("paul", "Many");
  const { result: many } = await call("paul", "api-keys/create", { name: "Many", permissions: ["plans:read"] });
  for (let n = 0; n < MANY; n++) {
    latchkey.clock.advance(1_000);
    await use(many.key, { scope: "plans:write" }, `req_${n}`);
    // No process stores more than 20 of a key at a time.
    if (n % 15 === 14) await eventually(async () => expect(await listed("paul")).toBe(n + 1));
  }
});

afterAll(() => bench.close());

async function openRequests(sub: string, settings: Parameters<ConsoleBench["signIn"]>[1] = {}): Promise<Visit> {
  const visit = await bench.signIn(sub, settings);
  await goTo(visit.page, "Requests");
  await visit.page.getByRole("heading", { name: "Requests" }).waitFor();
  return visit;
}

const focused = "document.activeElement.textContent";
const isWiderThanPage = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

/** What each row says of its request, without the time and the id. */
async function rowsOf(page: Page): Promise<string[][]> {
  return page.evaluate(
    `[...document.querySelectorAll("tr.request")].map((row) =>
      [...row.cells].slice(1, -1).map((cell) => cell.textContent.trim().replaceAll(/\\s+/g, " ")))`,
  );
}

const DENIED = ["AuthService/Verify plans:write", "Denied Scope missing", "Backend", "127.0.0.1", "none"];
const ROWS = [
  ["AuthService/Verify", "Denied Key revoked", "Old", "127.0.0.1", "none"],
  DENIED,
  ["AuthService/Verify", "Admitted", "Backend", "127.0.0.1", "none"],
];

describe("the page of requests", () => {
  test("has a row for each request, newest first, with its verdict, reason, key and address", async () => {
    const { page, close } = await openRequests("ada");
    await expect.poll(() => rowsOf(page)).toEqual(ROWS);
    await page.getByRole("link", { name: "Old" }).click();
    await page.getByRole("heading", { name: "Old" }).waitFor();
    await close();
  });

  test("a row opens to the check that denied the request, and to what to do", async () => {
    const { page, close } = await openRequests("ada");
    await page.getByText("Scope missing").locator("visible=true").first().click();
    await page.getByText("This API key lacks the scope plans:write").waitFor();
    await page.getByText(/^What to do:/).waitFor();
    const checks = page.getByRole("list", { name: "Checks, in their order" }).getByRole("listitem");
    await expect
      .poll(() => checks.allTextContents())
      .toEqual([
        ...["Credentials", "Key", "Status", "Source", "Rate limit"].map((name) => `✓ ${name}: passed`),
        "✕ Scope: failed",
      ]);
    const details = page.locator(".request-details");
    await details.getByText(lackedScope).waitFor();
    await expect
      .poll(() => details.getByRole("link", { name: "More on this error" }).getAttribute("href"))
      .toBe("/docs/errors#insufficient_scope");
    // A second click closes it, and one on a link in the row does not open it.
    await page.getByRole("row").getByText("Scope missing").click();
    await expect.poll(() => page.getByText("What to do:").count()).toBe(0);
    await close();
  });

  test("is used by only the keyboard", async () => {
    const { page, close } = await openRequests("ada");
    await page.getByRole("row").nth(1).waitFor();
    await page.getByLabel("To, inclusive").focus();
    for (let n = 0; !String(await page.evaluate(focused)).endsWith(" Explain"); n++) {
      if (n === 10) expect.fail("no row is reached by Tab");
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.getByText("What to do:").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.ariaExpanded")).toBe("true");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByText("What to do:").count()).toBe(0);
    await close();
  });

  test("filters by key, verdict, reason, request and day, and keeps that in its address", async () => {
    const { page, close } = await openRequests("ada");
    await expect.poll(() => rowsOf(page)).toHaveLength(3);
    await page.getByLabel("Key", { exact: true }).selectOption("Old");
    await expect.poll(() => rowsOf(page)).toEqual([ROWS[0]]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("Verdict").selectOption("Admitted");
    await expect.poll(() => rowsOf(page)).toEqual([ROWS[2]]);
    await page.getByLabel("Verdict").selectOption("All");
    await page.getByLabel("Reason").selectOption("Scope missing");
    await expect.poll(() => rowsOf(page)).toEqual([DENIED]);
    expect(new URL(page.url()).search).toBe("?reason=insufficient_scope");
    await page.reload();
    await expect.poll(() => rowsOf(page)).toEqual([DENIED]);
    await page.getByLabel("Reason").selectOption("All");
    await page.getByLabel("To, inclusive").fill("2026-01-31");
    await page.getByText("No request matches").waitFor();
    await page.getByLabel("From").fill("2026-02-01");
    await page.getByRole("alert").getByText("from: must be before to").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("Request id").fill(` ${lackedScope} `);
    await expect.poll(() => rowsOf(page)).toEqual([DENIED]);
    // A request by its id is open at once: the id is what a denied caller reports.
    await page.reload();
    await page.getByText("What to do:").waitFor();
    await close();
  });

  test("goes to older requests and back, with the focus on the list", async () => {
    const { page, close } = await openRequests("paul");
    await expect.poll(() => rowsOf(page)).toHaveLength(50);
    await page.getByRole("button", { name: "Older" }).click();
    await expect.poll(() => rowsOf(page)).toHaveLength(MANY - 50);
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Recent requests");
    await page.getByRole("button", { name: "Newest" }).click();
    await expect.poll(() => rowsOf(page)).toHaveLength(50);
    await close();
  });

  test("keeps what it shows when the next load fails, and says so in a line", async () => {
    const { page, close } = await bench.signIn("ada");
    await holdTime(page);
    await goTo(page, "Requests");
    await expect.poll(() => rowsOf(page)).toHaveLength(3);
    await page.getByText("Scope missing").locator("visible=true").first().click();
    await page.getByText("What to do:").waitFor();
    await page.route("**/latchkey.v1.RequestService/ListRequests", (route) =>
      route.fulfill({ status: 500, json: { code: "internal", message: "The database is away." } }),
    );
    const line = page.getByText("This may be out of date.");
    await passTime(page, 11_000, () => line.filter({ hasText: "The database is away." }).isVisible());
    expect(await rowsOf(page)).toEqual(ROWS);
    await page.getByText("What to do:").waitFor();
    await page.unrouteAll();
    await passTime(page, 11_000, async () => (await line.count()) === 0);
    await close();
  });

  test.each(["light", "dark"] as const)("has no finding of axe in %s, from 360 px on", async (colorScheme) => {
    const { page, close, findings, picture } = await openRequests("ada", { colorScheme });
    await page.getByText("Scope missing").locator("visible=true").first().click();
    await page.getByText("What to do:").waitFor();
    for (const width of [360, 390, 1_280, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findings()).toEqual([]);
      await expect.poll(() => page.evaluate(isWiderThanPage)).toBe(false);
      await picture(`requests-${colorScheme}-${width}`);
    }
    await close();
  });
});

test("an organization without a request sees how to make one, and the request soon after it", async () => {
  const { page, close } = await bench.signIn("eve");
  await holdTime(page);
  await goTo(page, "Requests");
  await page.getByText("No request yet").waitFor();
  const { result } = await bench.call("eve", "api-keys/create", { name: "First", permissions: ["plans:read"] });
  await bench.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": result.key });
  await passTime(page, 11_000, async () => (await rowsOf(page)).length > 0);
  expect((await rowsOf(page)).map((row) => row.slice(0, 2))).toEqual([["AuthService/Verify", "Admitted"]]);
  await close();
});

test("a role without usage:read has no page of usage or requests, and the API refuses both", async () => {
  await bench.join("arthur", "ada", "auditor");
  const { page, close } = await bench.signIn("arthur");
  await page.getByRole("link", { name: "Keys" }).waitFor();
  for (const name of ["Usage", "Requests"]) expect(await page.getByRole("link", { name }).count()).toBe(0);
  for (const path of ["usage", `requests?key=${keyId}`]) {
    await page.goto(`${bench.url}/${path}`);
    await page.getByText("your role does not include it").waitFor();
  }
  for (const path of ["usage/get", "requests/list"]) {
    await expect(bench.call("arthur", path)).rejects.toThrow("403");
  }
  await page.goto(bench.url);
  await page.getByText("Needs attention").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await close();
});
