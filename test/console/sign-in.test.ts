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
  expect(stored).toMatchObject({ local: {}, session: { "latchkey.signed-in": "true" }, databases: [], caches: [] });
  await close();
});

test("who answers the provider that they stay signed in, stays signed in", async () => {
  const { page, close } = await bench.signIn("ada");
  await page.getByRole("button", { name: "Account of ada" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "No, stay signed in" }).click();
  await page.getByRole("button", { name: "Account of ada" }).waitFor();
  await close();
});
