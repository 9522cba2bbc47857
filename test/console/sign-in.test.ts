import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, signInAt, startConsole } from "../harness/console.ts";

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole();
  await bench.found("ada", "Analytical Engines");
});

afterAll(() => bench.close());

test("a user signs in through the provider's page, stays signed in over a reload, and signs out", async () => {
  const { page, close, picture } = await bench.open();
  await picture("entrance");
  await signInAt(page, "ada");
  await picture("signed-in");
  expect(new URL(page.url()).search).toBe("");
  await page.reload();
  await page.getByRole("button", { name: "Account of ada" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(page.url()).toBe(bench.url);
  await close();
});

test("no storage of the browser ever has a token", async () => {
  const { page, close } = await bench.signIn("ada");
  const stored = await page.evaluate(`(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    cookies: document.cookie,
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    globals: Object.values(window).filter((value) => typeof value === "string"),
    html: document.documentElement.outerHTML,
  }))()`);
  expect(JSON.stringify(stored)).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
  expect(stored).toMatchObject({ local: { "latchkey.signed-in": "in" }, session: {}, databases: [], caches: [] });
  await close();
});

test("a new tab goes on with the provider's session, without a click", async () => {
  const { page, close } = await bench.signIn("ada");
  const tab = await page.context().newPage();
  await tab.goto(`${bench.url}/keys`);
  await tab.getByRole("button", { name: "Account of ada" }).waitFor();
  expect(tab.url()).toBe(`${bench.url}/keys`);
  await close();
});

test("a tab whose visit to the provider did not come back offers the sign-in, once", async () => {
  const { page, close } = await bench.signIn("ada");
  const tab = await page.context().newPage();
  await tab.route(`${bench.provider.issuer}/**`, (route) => route.abort());
  const lost = tab.waitForEvent("requestfailed", (request) => request.url().startsWith(bench.provider.issuer));
  await tab.goto(`${bench.url}/keys`);
  await lost;
  await tab.unrouteAll();
  await tab.goto(`${bench.url}/keys`);
  await tab.getByRole("button", { name: "Sign in" }).waitFor();
  await tab.reload();
  await tab.getByRole("button", { name: "Account of ada" }).waitFor();
  await close();
});

// threat: Q17
test("a sign-out names its session to the provider, and every tab is signed out after it", async () => {
  const { page, close } = await bench.signIn("ada");
  const left = page.waitForRequest(
    (request) => request.url().includes("end_session") || request.url().includes("/session/end"),
  );
  await page.getByRole("button", { name: "Account of ada" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  const hint = new URL((await left).url()).searchParams.get("id_token_hint") ?? "";
  const [, claims = ""] = hint.split(".");
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({ sub: "ada", aud: "console" });
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  const tab = await page.context().newPage();
  await tab.goto(bench.url);
  await tab.getByRole("button", { name: "Sign in" }).waitFor();
  await close();
});

/** Another tab of the same browser, signed in at a form. */
async function tabBeside(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(`${bench.url}/keys/new`);
  await tab.getByLabel("Name").fill("half a form");
  return tab;
}

// threat: Q17
test("a sign-out ends what other tabs show, without a call of theirs", async () => {
  const { page, close } = await bench.signIn("ada");
  const tab = await tabBeside(page);
  await page.getByRole("button", { name: "Account of ada" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await tab.getByRole("button", { name: "Sign in" }).waitFor();
  expect(await tab.getByLabel("Name").count()).toBe(0);
  expect(tab.url()).toBe(`${bench.url}/keys/new`);
  await close();
});

test("a session that is over for a new tab leaves the other ones as they are", async () => {
  const { page, close } = await bench.signIn("ada");
  const tab = await tabBeside(page);
  const context = page.context();
  await context.clearCookies();
  const fresh = await context.newPage();
  await fresh.goto(bench.url);
  await fresh.getByRole("button", { name: "Sign in" }).waitFor();
  expect(await tab.getByLabel("Name").inputValue()).toBe("half a form");
  await close();
});

test("after a sign-out that the provider has no place for, the next sign-in asks for its user", async () => {
  const { page, close } = await bench.open();
  await page.route("**/console/config.json", async (route) => {
    const response = await route.fetch();
    const { provider, ...settings } = await response.json();
    return route.fulfill({
      response,
      json: { ...settings, provider: { ...provider, end_session_endpoint: undefined } },
    });
  });
  await page.reload();
  await signInAt(page, "ada");
  const tab = await tabBeside(page);
  await page.getByRole("button", { name: "Account of ada" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await tab.getByRole("button", { name: "Sign in" }).waitFor();
  const asked = page.waitForRequest((request) => request.url().includes("code_challenge"));
  await page.getByRole("button", { name: "Sign in" }).click();
  expect(new URL((await asked).url()).searchParams.get("prompt")).toBe("login");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await close();
});

test("who answers the provider that they stay signed in, stays signed in", async () => {
  const { page, close } = await bench.signIn("ada");
  const tab = await tabBeside(page);
  await page.getByRole("button", { name: "Account of ada" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "No, stay signed in" }).click();
  await page.getByRole("button", { name: "Account of ada" }).waitFor();
  expect(await tab.getByLabel("Name").inputValue()).toBe("half a form");
  await close();
});
