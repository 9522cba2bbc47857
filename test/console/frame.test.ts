import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, goTo, startConsole } from "../harness/console.ts";

/** What all pages share. */

let bench: ConsoleBench;
let tenantId: string;

beforeAll(async () => {
  bench = await startConsole();
  tenantId = await bench.found("ada", "Analytical Engines");
  await bench.storeKeys(tenantId, 120);
});

afterAll(() => bench.close());

function scrolled(page: Page): Promise<number> {
  return page.evaluate("scrollY");
}

test("each page has a title of its own", async () => {
  const { page, close } = await bench.signIn("ada");
  for (const name of ["Members", "Conversations"]) {
    await goTo(page, name);
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await expect.poll(() => page.title()).toBe(`${name} · Latchkey`);
  }
  await close();
});

test("relative times move on while the page is open", async () => {
  const { page, close } = await bench.signIn("ada");
  await page.clock.install();
  await bench.call("ada", "orgs/invitations/create", { email: "timed@example.com" });
  await goTo(page, "Members");
  const created = page.getByRole("row", { name: "timed@example.com" }).getByRole("time").first();
  await created.waitFor();
  await page.clock.fastForward("03:20:00");
  await expect.poll(() => created.textContent()).toBe("3 hours ago");
  await close();
});

test("the next page of a list is shown from its top, and the button keeps the focus at the end", async () => {
  const { page, close } = await bench.signIn("ada");
  const next = page.getByRole("button", { name: "Next" });
  await next.waitFor();
  for (const shown of ["Page 2 of 3", "Page 3 of 3"]) {
    await next.click();
    await page.getByText(shown).waitFor();
    await expect.poll(() => scrolled(page)).toBe(0);
  }
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Next");
  await close();
});

test("the focus goes to the page where a button is gone with what it did", async () => {
  const { page, close } = await bench.signIn("ada");
  const name = "to be revoked";
  const { result } = await bench.call("ada", "api-keys/create", { name, permissions: ["plans:read"] });
  await page.goto(`${bench.url}/keys/${result.key_id}`);
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  await page.evaluate(`{
    const button = document.createElement("button");
    document.querySelector("main").append(button);
    button.focus();
    button.remove();
  }`);
  await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("content");
  await close();
});

test("a service that refuses connections is called again until it is back, without a click", async () => {
  const { page, close } = await bench.signIn("ada");
  await page.clock.install();
  let refused = 0;
  await page.route("**/ListMembers", (route) => {
    if (refused++ < 5) return route.abort("connectionrefused");
    return route.continue();
  });
  await goTo(page, "Members");
  const back = page.getByRole("table", { name: "Members" });
  await expect
    .poll(
      async () => {
        await page.clock.fastForward(6_000);
        return back.count();
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(1);
  expect(refused).toBeGreaterThan(5);
  await close();
});

test.each([
  ["light", 390],
  ["dark", 390],
  ["light", 1_440],
  ["dark", 1_440],
] as const)("the frame is accessible and cuts nothing, %s at %d pixels", async (colorScheme, width) => {
  const { page, close, picture, findings } = await bench.signIn("ada", {
    colorScheme,
    viewport: { width, height: 844 },
  });
  await goTo(page, "Members");
  await page.getByRole("table", { name: "Members" }).waitFor();
  expect(await findings()).toEqual([]);
  await picture(`frame-${colorScheme}-${width}`);
  await expect.poll(() => page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  const bar = await page.getByRole("banner").boundingBox();
  if (width === 390) {
    expect(bar?.height).toBe(56);
    await page.getByRole("button", { name: "Open the menu" }).click();
    await page.getByRole("link", { name: "Usage" }).waitFor();
    expect(await findings()).toEqual([]);
    await picture(`frame-menu-${colorScheme}-${width}`);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Usage" }).waitFor({ state: "hidden" });
    await expect.poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Open the menu");
  }
  await expect.poll(() => page.getByRole("banner").getByText("owner", { exact: true }).count()).toBe(1);
  await close();
});
