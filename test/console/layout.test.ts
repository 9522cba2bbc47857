import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, goTo, startConsole } from "../harness/console.ts";
import { eventually } from "../harness/eventually.ts";

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole();
  await bench.found("ada", "Analytical Engines");
  await bench.join("vera", "ada", "viewer");
  const create = async (name: string, values: object = {}) => {
    const permissions = ["plans:read", "conversations:read", "billing:read"];
    return (await bench.call("ada", "api-keys/create", { name, permissions, ...values })).result;
  };
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000 + 60_000).toISOString();
  await create("billing-service-production-europe-west", { expires_at: inDays(13) });
  const leaked = await create("nightly importer");
  const used = await create("Backend");
  const old = await create("worker", { expires_at: inDays(13) });
  await bench.call("ada", "api-keys/rotate", { key_id: old.key_id, grace_period_hours: 48 });
  const off = await create("staging", { expires_at: inDays(3) });
  await bench.call("ada", "api-keys/disable", { key_id: off.key_id });
  await bench.latchkey.call("/api/v1/api-keys/report-leak", { reports: [{ key: leaked.key }] });
  for (const scope of ["plans:read", "plans:write"])
    await bench.latchkey.call("/api/v1/auth/verify", { scope }, { "x-api-key": used.key });
  await bench.call("ada", "webhooks/create", { url: "https://hooks.example.com/", events: ["*"], description: "Bot" });
  await bench.call("ada", "orgs/invitations/create", { email: "someone.with.a.name@example.com", role: "admin" });
  await eventually(async () => expect((await bench.call("ada", "requests/list")).requests).toHaveLength(2));
});

afterAll(() => bench.close());

/**
 * What a reader does not see: regions that go on beside their box, which on a phone may be with a shade at the edge, and badges and
 * buttons with something over them.
 */
async function hidden(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
    for (const region of document.querySelectorAll(".scroll"))
      if (region.scrollWidth > region.clientWidth && !(innerWidth < 768 && /gradient/.test(getComputedStyle(region).background)))
        found.push("scrolls sideways: " + region.ariaLabel);
    for (const mark of document.querySelectorAll("main :is(.badge, td button)")) {
      if (!mark.checkVisibility()) continue;
      mark.scrollIntoView({ block: "center" });
      const { left, right, top, bottom } = mark.getBoundingClientRect();
      for (const x of [left + 3, right - 3]) {
        const seen = document.elementFromPoint(x, (top + bottom) / 2);
        if (!mark.contains(seen)) found.push("covered: " + mark.textContent + mark.ariaLabel);
      }
    }
    return found;
  })()`);
}

const WIDTHS = [390, 1_024, 1_280, 1_440];

test("no page of the navigation hides a badge or a button, or scrolls sideways, on a phone or a laptop", async () => {
  const { page, close } = await bench.signIn("ada");
  await page.getByRole("row").nth(1).waitFor();
  const names = await page.getByRole("navigation", { name: "Console" }).getByRole("link").allTextContents();
  expect(names).toContain("Keys");
  for (const name of names) {
    await goTo(page, name);
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => hidden(page), { message: `${name} at ${width} pixels`, timeout: 6000 }).toEqual([]);
    }
  }
  await close();
});
