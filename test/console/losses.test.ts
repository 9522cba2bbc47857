import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, goTo, startConsole } from "../harness/console.ts";

/** What a person has typed, or sees once, stays there until they leave it. */

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole();
  await bench.found("ada", "Analytical Engines");
});

afterAll(() => bench.close());

const BUSY = { status: 503, json: { code: "unavailable", message: "busy" } };
const FRESH_MS = 11_000;

/** As a person who comes back to the page does, after what is shown has become old. */
async function comeBack(page: Page): Promise<void> {
  await page.clock.fastForward(FRESH_MS);
  await page.evaluate(`window.dispatchEvent(new Event("visibilitychange"))`);
}

async function openInvitation(page: Page, email: string): Promise<string> {
  await goTo(page, "Members");
  await page.getByRole("button", { name: "Invite a member" }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Create invitation" }).click();
  return page.getByLabel("Invitation link").inputValue();
}

test("an invitation's link stays where the page cannot be refreshed, and the page says so in one line", async () => {
  const { page, close, picture, findings } = await bench.signIn("ada");
  await page.clock.install();
  const link = await openInvitation(page, "stays@example.com");
  await page.route("**/latchkey.v1.*/{Verify,ListMembers,ListInvitations,ListOrgs}", (route) => route.fulfill(BUSY));
  await comeBack(page);
  await page.clock.fastForward(FRESH_MS);
  await expect.poll(() => page.getByText("This may be out of date.").count()).toBe(2);
  expect(await page.getByLabel("Invitation link").inputValue()).toBe(link);
  await picture("refresh-failed");
  expect(await findings()).toEqual([]);
  await page.unrouteAll();
  await page.clock.fastForward(FRESH_MS);
  await expect.poll(() => page.getByText("This may be out of date.").count()).toBe(0);
  expect(await page.getByLabel("Invitation link").inputValue()).toBe(link);
  await close();
});

test("Escape, Done and Back ask before an invitation's link is lost, until it is copied", async () => {
  const { page, close, picture, findings } = await bench.signIn("ada", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const link = await openInvitation(page, "asks@example.com");
  const question = page.getByRole("heading", { name: "Close without the link?" });
  for (const leave of [
    () => page.keyboard.press("Escape"),
    () => page.getByRole("button", { name: "Done" }).click(),
    () => page.evaluate("history.back()"),
  ]) {
    await leave();
    await question.waitFor();
    await page.getByRole("button", { name: "Go back to the link" }).click();
    await question.waitFor({ state: "detached" });
    expect(await page.getByLabel("Invitation link").inputValue()).toBe(link);
  }
  await page.evaluate("history.back()");
  await question.waitFor();
  expect(await findings()).toEqual([]);
  await picture("leave-link");
  await page.getByRole("button", { name: "Go back to the link" }).click();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Copied").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByLabel("Invitation link").waitFor({ state: "detached" });
  expect(page.url()).toBe(`${bench.url}/members`);
  await page.evaluate("history.back()");
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  await close();
});

test("who leaves the link by Back all the same, is at the page before", async () => {
  const { page, close } = await bench.signIn("ada");
  await openInvitation(page, "leaves@example.com");
  await page.evaluate("history.back()");
  await page.getByRole("button", { name: "Close without it" }).click();
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  await close();
});

test("closing the page asks while the link is there", async () => {
  const { page } = await bench.signIn("ada");
  await openInvitation(page, "closes@example.com");
  const asked = page.waitForEvent("dialog");
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await page.getByLabel("Invitation link").waitFor();
  await page.context().close();
});

test("a form keeps what was typed through a failed call and a click beside it", async () => {
  const { page } = await bench.signIn("ada");
  await goTo(page, "Members");
  await page.getByRole("button", { name: "Invite a member" }).click();
  await page.getByLabel("Email address").fill("typed@example.com");
  await page.mouse.click(5, 895);
  await page.route("**/CreateInvitation", (route) => route.abort("connectionrefused"));
  await page.getByRole("button", { name: "Create invitation" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("The service cannot be reached.");
  expect(await page.getByLabel("Email address").inputValue()).toBe("typed@example.com");
  await page.unrouteAll();
  await page.getByRole("button", { name: "Create invitation" }).click();
  await page.getByLabel("Invitation link").waitFor();
  await page.context().close();
});
