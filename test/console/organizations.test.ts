import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, goTo, startConsole } from "../harness/console.ts";

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole();
});

afterAll(() => bench.close());

function menuOf(page: Page) {
  return page.getByRole("button", { name: /^Organization / });
}

/** Waits until the header shows an organization as the current one. */
function showsOrg(page: Page, name: string): Promise<void> {
  return page.getByRole("banner").getByText(name, { exact: true }).waitFor();
}

async function orgsOf(sub: string): Promise<string[]> {
  return (await bench.call(sub, "orgs/list")).orgs.map(({ name }: { name: string }) => name);
}

async function memberRows(page: Page): Promise<string> {
  await goTo(page, "Members");
  await page.getByRole("heading", { name: "Invitations" }).waitFor();
  return (await page.getByRole("table", { name: "Members" }).textContent()) ?? "";
}

test("a stranger founds an organization, creates a second one and switches: each shows only its own keys and members", async () => {
  const createKey = (name: string) => bench.call("stranger", "api-keys/create", { name, permissions: ["plans:read"] });
  const { page, close, picture, findings } = await bench.signIn("stranger");
  await page.getByRole("heading", { name: "Create an organization" }).waitFor();
  await expect.poll(() => page.getByRole("navigation").getByRole("link").count()).toBe(0);
  await picture("first-organization");
  expect(await findings()).toEqual([]);
  await page.getByLabel("Name of the organization").fill("First Company");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await showsOrg(page, "First Company");
  await bench.join("first-colleague", "stranger", "viewer");
  await createKey("first-key");
  await expect.poll(() => memberRows(page)).toContain("first-colleague@example.com");

  await menuOf(page).click();
  await page.getByRole("menuitem", { name: "New organization" }).click();
  await page.getByLabel("Name of the organization").fill("Second Company");
  await picture("new-organization");
  expect(await findings()).toEqual([]);
  await page.getByRole("button", { name: "Create" }).click();
  await showsOrg(page, "Second Company");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await bench.join("second-colleague", "stranger", "viewer");
  await createKey("second-key");
  await page.reload();
  await goTo(page, "Keys");
  await page.getByText("second-key").waitFor();
  await expect.poll(() => page.getByText("first-key").count()).toBe(0);
  const second = await memberRows(page);
  expect(second).toContain("second-colleague@example.com");
  expect(second).not.toContain("first-colleague");

  await menuOf(page).click();
  await page.getByRole("menuitemradio", { name: "Second Company" }).waitFor();
  await expect.poll(() => page.getByRole("menuitemradio", { checked: true }).textContent()).toContain("Second Company");
  await picture("account-menu");
  expect(await findings()).toEqual([]);
  await page.getByRole("menuitemradio", { name: "First Company" }).click();
  await showsOrg(page, "First Company");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await goTo(page, "Keys");
  await page.getByText("first-key").waitFor();
  await expect.poll(() => page.getByText("second-key").count()).toBe(0);
  const first = await memberRows(page);
  expect(first).toContain("first-colleague@example.com");
  expect(first).not.toContain("second-colleague");
  await page.reload();
  await showsOrg(page, "First Company");
  await close();
});

test("a form that is sent twice founds one organization", async () => {
  const { page, close } = await bench.signIn("double");
  await page.getByLabel("Name of the organization").fill("Once");
  await page.evaluate(`const form = document.querySelector("form"); form.requestSubmit(); form.requestSubmit();`);
  await showsOrg(page, "Once");
  expect(await orgsOf("double")).toEqual(["Once"]);
  await close();
});

test("the keyboard alone founds, renames and switches, and dialogs give the focus back", async () => {
  await bench.found("keys", "Other");
  const { page, close } = await bench.signIn("keys");
  await menuOf(page).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Rename organization" }).waitFor();
  await page.keyboard.type("ren");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Organization Other");
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Rename organization" }).waitFor();
  await page.keyboard.type("ren");
  await page.keyboard.press("Enter");
  await expect
    .poll(() => page.evaluate("document.activeElement.labels?.[0]?.textContent"))
    .toBe("Name of the organization");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Renamed");
  await page.keyboard.press("Enter");
  await showsOrg(page, "Renamed");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await orgsOf("keys")).toEqual(["Renamed"]);

  await bench.found("keys", "Another");
  await page.reload();
  await showsOrg(page, "Another");
  await menuOf(page).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitemradio", { name: "Renamed" }).waitFor();
  await page.keyboard.type("renamed");
  await page.keyboard.press("Enter");
  await showsOrg(page, "Renamed");
  await expect.poll(() => page.evaluate("document.activeElement === document.body")).toBe(false);
  await close();
});

test("a provider that renews no tokens is visited again for the new tenant", async () => {
  const visit = await bench.open();
  await visit.page.route("**/token", async (route) => {
    const response = await route.fetch();
    const { refresh_token: _, ...json } = await response.json();
    await route.fulfill({ response, json });
  });
  const { page } = visit;
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("New user").fill("unrenewed");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Name of the organization").fill("By Sign-in");
  await page.getByRole("button", { name: "Create" }).click();
  await showsOrg(page, "By Sign-in");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await visit.close();
});

test("a viewer cannot rename the organization", async () => {
  await bench.found("boss", "Viewed");
  await bench.join("looker", "boss", "viewer");
  const { page, close } = await bench.signIn("looker");
  await showsOrg(page, "Viewed");
  await menuOf(page).click();
  await page.getByRole("menuitem", { name: "New organization" }).waitFor();
  await expect.poll(() => page.getByRole("menuitem", { name: "Rename" }).count()).toBe(0);
  await expect(bench.call("looker", "orgs/update", { name: "Mine" })).rejects.toThrow("403");
  await close();
});

test("a user who was removed from an organization cannot switch to it, and goes on in another of theirs", async () => {
  await bench.found("owner", "Former");
  await bench.join("wanderer", "owner", "developer");
  await bench.found("wanderer", "Own");
  const { page, close, picture, findings } = await bench.signIn("wanderer");
  await showsOrg(page, "Own");
  await menuOf(page).click();
  await page.getByRole("menuitemradio", { name: "Former" }).waitFor();
  await bench.call("owner", "orgs/members/remove", { user_id: "wanderer" });
  await page.getByRole("menuitemradio", { name: "Former" }).click();
  await expect
    .poll(() => page.getByRole("alert").textContent())
    .toContain("You are not a member of this organization any more.");
  expect(await findings()).toEqual([]);
  await picture("switch-refused");
  await page.getByRole("button", { name: "Close" }).click();

  await bench.join("wanderer", "owner", "developer");
  await page.reload();
  await showsOrg(page, "Former");
  await bench.call("owner", "orgs/members/remove", { user_id: "wanderer" });
  await page.reload();
  await showsOrg(page, "Own");
  await close();
});

test.each([
  ["light", 360],
  ["dark", 360],
  ["dark", 1_280],
] as const)("founding and the menu are accessible, %s at %d pixels", async (colorScheme, width) => {
  const sub = `a-stranger-with-a-name-of-some-length-${colorScheme}-${width}`;
  const { page, close, picture, findings } = await bench.signIn(sub, { colorScheme, viewport: { width, height: 800 } });
  await page.getByLabel("Name of the organization").waitFor();
  expect(await findings()).toEqual([]);
  await expect
    .poll(() => page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
    .toBe(true);
  await picture(`first-organization-${colorScheme}-${width}`);
  await page.getByLabel("Name of the organization").fill(`The Honourable Company of ${"very ".repeat(10)}long names`);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await menuOf(page).click();
  await page.getByRole("menuitem", { name: "New organization" }).waitFor();
  expect(await findings()).toEqual([]);
  await expect
    .poll(() => page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
    .toBe(true);
  await picture(`account-menu-${colorScheme}-${width}`);
  await close();
});

test("where the provider's organizations are the tenants, the page says so instead of founding one", async () => {
  const adopting = await startConsole({ tenants: "adopted" });
  try {
    const { page, close, picture } = await adopting.signIn("lost");
    await page.getByLabel("Name of the organization").fill("Mine");
    await page.getByRole("button", { name: "Create" }).click();
    await expect
      .poll(() => page.getByRole("alert").textContent())
      .toContain("Organizations are managed at your identity provider. Create one there, and sign in to it.");
    await picture("organization-of-the-provider");
    await close();
  } finally {
    await adopting.close();
  }
});

test("where the provider's tokens have no tenant, the page shows what was founded and whose matter that is", async () => {
  const without = await startConsole({ tenants: "missing" });
  try {
    const { page, close, picture, findings } = await without.signIn("nowhere");
    await page.getByLabel("Name of the organization").fill("Founded");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "Founded" }).click();
    await page.getByText("your sign-in does not carry the organization: ask the operator of this service").waitFor();
    await picture("organization-without-tenant");
    expect(await findings()).toEqual([]);
    await close();
  } finally {
    await without.close();
  }
});
