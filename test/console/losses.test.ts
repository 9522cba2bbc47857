import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleBench, goTo, startConsole } from "../harness/console.ts";
import { WORKLOAD_KEY } from "../harness/federation.ts";
import { SERVICES } from "../harness/services.ts";
import { SHOWN_SECRETS } from "./shown-secrets.ts";

/** What a person has typed, or sees once, stays there until they leave it. */

let bench: ConsoleBench;

/** What the dialogs with secrets, and the forms, are opened from. */
let place: { readonly url: string; readonly keyId: string; readonly webhookId: string; readonly ruleId: string };

beforeAll(async () => {
  bench = await startConsole();
  const tenant = await bench.found("ada", "Analytical Engines");
  const values = { name: "worker", permissions: ["plans:read"] };
  const { key_id: keyId } = (await bench.call("ada", "api-keys/create", values)).result;
  const webhook = { url: "https://hooks.example.com/", events: ["*"] };
  const { webhook_id: webhookId } = (await bench.call("ada", "webhooks/create", webhook)).result;
  const rule = {
    ...{ name: "ci", issuer: "https://ci.example.com", audience: tenant, jwks: { keys: [WORKLOAD_KEY.jwk] } },
    ...{ claimRules: [{ claim: "sub", equals: "deployer" }], key_id: keyId, scopes: ["plans:read"] },
  };
  const { rule_id: ruleId } = (await bench.call("ada", "federation/rules/create", rule)).result;
  place = { url: bench.url, keyId, webhookId, ruleId };
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

const SECRETS = Object.entries(SHOWN_SECRETS);
const shownSecret = (page: Page) => page.getByTestId("secret").or(page.getByLabel("Invitation link"));

describe.each(SECRETS)("the secret of %s", (_rpc, { open, question, stay }) => {
  // threat: Q9
  test("is asked about by Escape, Done, Back and a reload until it is copied", async () => {
    const { page } = await bench.signIn("ada", { permissions: ["clipboard-read", "clipboard-write"] });
    await open(page, place);
    await shownSecret(page).waitFor();
    const asked = page.getByRole("heading", { name: question });
    for (const leave of [
      () => page.keyboard.press("Escape"),
      () => page.getByRole("button", { name: "Done", exact: true }).click(),
      () => page.evaluate("history.back()"),
    ]) {
      await leave();
      await asked.waitFor();
      await page.getByRole("button", { name: stay, exact: true }).click();
      await asked.waitFor({ state: "detached" });
      await shownSecret(page).waitFor();
    }
    expect(await asksBeforeClosing(page)).toBe(true);
    await page.getByRole("button", { name: /^Copy (?:key|link|secret)$/ }).click();
    await page.getByRole("button", { name: "Done", exact: true }).click();
    await shownSecret(page).waitFor({ state: "detached" });
    await expect.poll(() => asked.count()).toBe(0);
    await page.context().close();
  });
});

/** Whether the browser would ask before the page is closed or loaded again. */
async function asksBeforeClosing(page: Page): Promise<boolean> {
  return page.evaluate(`!dispatchEvent(new Event("beforeunload", { cancelable: true }))`) as Promise<boolean>;
}

const repeatable = new Set(
  SERVICES.flatMap(({ methods }) => methods)
    .filter(({ input }) => "clientRequestId" in input.field)
    .map(({ name }) => name),
);

// threat: Q9
test.each(SECRETS.filter(([rpc]) => repeatable.has(rpc)))(
  "a lost answer of %s is followed by the same call, which makes nothing twice, and by another secret",
  async (rpc, { open, make }) => {
    const { page } = await bench.signIn("ada");
    const ids: unknown[] = [];
    await page.route(`**/${rpc}`, async (route) => {
      ids.push(route.request().postDataJSON().client_request_id);
      if (ids.length > 1) return route.continue();
      await route.fetch();
      return route.abort("connectionreset");
    });
    const key = (await bench.call("ada", "api-keys/create", { name: `lost by ${rpc}`, permissions: ["plans:read"] }))
      .result;
    await open(page, { ...place, keyId: key.key_id });
    await page.getByRole("alert").filter({ hasText: "The service cannot be reached." }).waitFor();
    await page.getByRole("button", { name: make, exact: true }).click();
    await page.getByRole("heading", { name: /was made, but its .* was lost/ }).waitFor();
    expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
    expect(ids[1]).toBe(ids[0]);
    await page.getByRole("button", { name: /^Get another/ }).click();
    await shownSecret(page).waitFor();
    await expect.poll(() => shownSecret(page).count()).toBe(1);
    if (ids.length > 2) expect(ids[2]).not.toBe(ids[0]);
    await page.context().close();
  },
);

test("the key of a lost answer does not stay behind", async () => {
  const active = async () =>
    (await bench.call("ada", "api-keys/list", { status: "KEY_STATUS_ACTIVE", search: "shown once" })).keys.length;
  const before = await active();
  const { page } = await bench.signIn("ada");
  let calls = 0;
  await page.route("**/CreateApiKey", async (route) => {
    if (calls++ > 0) return route.continue();
    await route.fetch();
    return route.abort("connectionreset");
  });
  await SHOWN_SECRETS.CreateApiKey?.open(page, place);
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "Get another value" }).click();
  await page.getByTestId("secret").waitFor();
  expect((await active()) - before).toBe(1);
  await page.context().close();
});

interface FilledForm {
  readonly path: () => string;
  /** Opens the form, where it is not the page. */
  readonly button?: string;
  readonly label: string;
  readonly isDialog?: true;
}

const FORMS: Readonly<Record<string, FilledForm>> = {
  "of a new key": { path: () => "/keys/new", label: "Name" },
  "of a key": { path: () => `/keys/${place.keyId}/edit`, label: "Description" },
  "of a new rule": { path: () => "/workloads/new", label: "Name" },
  "of a rule": { path: () => `/workloads/${place.ruleId}/edit`, label: "Name" },
  "of a new webhook": { path: () => "/webhooks", button: "Add an endpoint", label: "URL", isDialog: true },
  "of a webhook": { path: () => `/webhooks/${place.webhookId}`, button: "Edit", label: "Description", isDialog: true },
  "of an invitation": { path: () => "/members", button: "Invite a member", label: "Email address", isDialog: true },
};

test.each(Object.entries(FORMS))(
  "the form %s asks before what was typed is lost by Back, Escape, a link or a reload, and not by Cancel",
  async (_name, { path, button, label, isDialog }) => {
    const { page } = await bench.signIn("ada");
    const open = async (): Promise<void> => {
      await goTo(page, "Overview");
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await page.goto(bench.url + path());
      if (button) await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByLabel(label, { exact: true }).waitFor();
    };
    await open();
    expect(await asksBeforeClosing(page)).toBe(false);
    await page.getByLabel(label, { exact: true }).fill("typed");
    const asked = page.getByRole("heading", { name: "Discard what you typed?" });
    for (const leave of [
      () => page.evaluate("history.back()"),
      isDialog ? () => page.keyboard.press("Escape") : () => goTo(page, "Usage"),
    ]) {
      await leave();
      await asked.waitFor();
      await page.getByRole("button", { name: "Keep editing" }).click();
      await asked.waitFor({ state: "detached" });
      expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe("typed");
    }
    expect(await asksBeforeClosing(page)).toBe(true);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByLabel(label, { exact: true }).waitFor({ state: "detached" });
    await expect.poll(() => asked.count()).toBe(0);
    await page.context().close();
  },
);

test("a form that was saved asks nothing, and is one step in the history", async () => {
  const { page, close } = await bench.signIn("ada");
  await page.goto(`${bench.url}/keys/${place.keyId}`);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Description").fill("saved");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Key saved").waitFor();
  await page.getByText("saved", { exact: true }).waitFor();
  await page.evaluate("history.back()");
  await page.getByLabel("Description").waitFor();
  await page.evaluate("history.back()");
  await page.getByRole("button", { name: "Edit" }).waitFor();
  expect(page.url()).toBe(`${bench.url}/keys/${place.keyId}`);
  await close();
});
