import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleBench, startConsole } from "../harness/console.ts";

const run = promisify(execFile);
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole({ requestsPerMinuteDefault: 120 });
  await bench.found("ada", "Analytical Engines");
});

afterAll(() => bench.close());

test("an admin begins with an empty page, creates a secret key, sees its value once, and calls with it", async () => {
  await bench.found("eve", "Eve's");
  const { page, close, picture, findings } = await bench.signIn("eve", CLIPBOARD);
  await page.getByRole("heading", { name: "No keys yet" }).waitFor();
  await picture("keys-empty");
  await page.getByRole("link", { name: "Create your first key" }).click();
  await page.getByText("0 of 10,000 keys").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("backend");
  await page.getByLabel(/^Plans/).selectOption("Read");
  await page.getByText("1 scope is chosen.").waitFor();
  await page.getByText(/^The default of this service: at most 120 requests a minute/).waitFor();
  await page.getByLabel("Requests per minute", { exact: true }).fill("60");
  await page
    .getByText("At most 60 requests a minute. 60 requests may come at once; after that, one more every second.")
    .waitFor();
  await page.getByLabel("The key stops working").selectOption("90");
  await page.getByText(/It stops working in 3 months/).waitFor();
  expect(await findings()).toEqual([]);
  await picture("key-new");
  await page.getByRole("button", { name: "Create key" }).click();

  const secret = (await page.getByTestId("secret").textContent()) ?? "";
  expect(secret).toMatch(/^sk_/);
  const copy = page.getByRole("button", { name: "Copy key" });
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Copy key");
  await page.getByText("Waiting for the first request…").waitFor();
  await picture("key-issued");
  expect(await findings()).toEqual([]);
  for (const language of ["TypeScript", "Python", "Go", "Swift", "curl"]) {
    await page.getByRole("tab", { name: language }).click();
    await page.getByRole("tabpanel").filter({ hasText: secret }).filter({ hasText: "erify" }).waitFor();
  }
  // Escape asks, and so does the browser. The question goes a frame after the click.
  const question = page.getByText("Leave without the key?");
  await page.keyboard.press("Escape");
  await question.waitFor();
  await picture("key-leave");
  await page.getByRole("button", { name: "Stay" }).click();
  await question.waitFor({ state: "detached" });
  await page.evaluate("history.back()");
  await question.waitFor();
  await page.getByRole("button", { name: "Stay" }).click();
  await question.waitFor({ state: "detached" });
  expect(await page.getByTestId("secret").textContent()).toBe(secret);
  await copy.click();
  await page.getByText("The key is copied.").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
  // The code as it is shown.
  const command = (await page.getByRole("tabpanel").locator("pre").textContent()) ?? "";
  const { stdout } = await run("bash", ["-c", command]);
  expect(JSON.parse(stdout)).toMatchObject({ permissions: ["plans:read"], rate_limit: { limit: 60 } });
  await page.getByText("First request received").waitFor();
  await page.getByRole("button", { name: "Done" }).click();

  await page.getByRole("heading", { name: "backend" }).waitFor();
  expect(await page.content()).not.toContain(secret);
  await picture("key");
  expect(await findings()).toEqual([]);
  await close();
});

test("a publishable key's form checks the configuration while it is typed, and its first request has a user's token", async () => {
  const { issuer, jwksUrl } = bench.provider;
  const { page, close, picture, findings } = await bench.signIn("ada", CLIPBOARD);
  await page.goto(`${bench.url}/keys/new`);
  await page.getByLabel("Name", { exact: true }).fill("app");
  await page.getByLabel("Type").selectOption("publishable");
  await page.getByLabel("Issuer").fill(issuer);
  await page.getByLabel("Audience").fill("app");
  await page.getByLabel("Key set URL").fill("http://203.0.113.9/jwks.json");
  await page.getByRole("listitem").filter({ hasText: "Failed" }).first().waitFor();
  await page.getByLabel("Key set URL").fill(jwksUrl);
  await page.getByRole("listitem").filter({ hasText: "key set" }).filter({ hasText: "Passed" }).waitFor();
  const token = await bench.sign({ sub: "someone", aud: "another-app" });
  await page.getByLabel("A token, to try it out").fill(token);
  const audience = page.getByRole("listitem").filter({ hasText: "audience" });
  await audience.filter({ hasText: "Failed" }).filter({ hasText: "another-app" }).waitFor();
  await page.getByRole("listitem").filter({ hasText: "signature" }).filter({ hasText: "Passed" }).waitFor();
  await picture("key-publishable");
  expect(await findings()).toEqual([]);
  await page.getByLabel("Audience").fill("another-app");
  await audience.filter({ hasText: "Passed" }).waitFor();
  // What a publishable key cannot have is not offered.
  await expect.poll(() => page.getByLabel(/^API keys/).count()).toBe(0);
  await page.getByLabel(/^Conversations/).selectOption("Read");
  await page.getByLabel("Prefix of user ids").fill("app:");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("It is not a secret: each call must also carry a signed-in user's token.").waitFor();
  const key = (await page.getByTestId("secret").textContent()) ?? "";
  await page.getByRole("tabpanel").filter({ hasText: "authorization: Bearer $USER_TOKEN" }).waitFor();
  const headers = { "x-api-key": key, authorization: `Bearer ${token}` };
  expect((await bench.latchkey.call("/api/v1/auth/verify", {}, headers)).json).toMatchObject({
    user_id: "app:someone",
  });
  await page.getByRole("button", { name: "Copy key" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { name: "Try a user's token" }).waitFor();
  await close();
});

test("a key is created with only the keyboard", async () => {
  const { page, close } = await bench.signIn("ada", CLIPBOARD);
  await page.getByRole("link", { name: "Create key" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Create a key" }).waitFor();
  await page.getByLabel(/^Billing/).waitFor();
  await tabTo("Name");
  await page.keyboard.type("by keyboard");
  await tabTo("Billing");
  await page.keyboard.press("R");
  await page.getByText("1 scope is chosen.").waitFor();
  await tabTo("Create key");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  await tabTo("Copy key");
  await page.keyboard.press("Enter");
  await page.getByText("The key is copied.").waitFor();
  await tabTo("Done");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "by keyboard" }).waitFor();
  await tabTo("Rotate");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  // The focus is back where it came from.
  await expect.poll(focused).toMatch(/^Rotate/);
  await close();

  async function focused(): Promise<string> {
    const name = await page.evaluate(`(() => {
      const { activeElement: at } = document;
      return (at.labels?.[0] ?? at).textContent.trim() || at.getAttribute("aria-label");
    })()`);
    return String(name);
  }

  async function tabTo(name: string): Promise<void> {
    for (let presses = 0; presses < 80; presses++) {
      if ((await focused()).startsWith(name)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`no element named ${name} can be reached by Tab`);
  }
});

test("a text that is too long is kept whole, and the form says so", async () => {
  const { page } = await bench.signIn("ada");
  await page.goto(`${bench.url}/keys/new`);
  const description = page.getByLabel("Description");
  await description.focus();
  await page.keyboard.insertText("a".repeat(1_100));
  await page.getByText("At most 1,024 characters. These are 1,100.").waitFor();
  expect(await description.inputValue()).toHaveLength(1_100);
  await page.context().close();
});

describe("scopes", () => {
  test("are a row for each domain, with presets, a search and single ones, without those of the operator", async () => {
    const { page, close, picture, findings } = await bench.signIn("ada");
    await page.goto(`${bench.url}/keys/new`);
    await page.getByLabel(/^Users/).selectOption("Single scopes…");
    await page.getByLabel("users:impersonate").check();
    await page.getByLabel(/^Plans/).selectOption("All, also what is added later");
    await page.getByText("2 scopes are chosen.").waitFor();
    for (const domain of [/^System/, /^Tenants/]) expect(await page.getByLabel(domain).count()).toBe(0);
    await page.getByLabel("Find a scope").fill("invoices");
    await expect.poll(() => page.getByRole("list", { name: "Scopes" }).getByRole("combobox").count()).toBe(1);
    await page.getByLabel("Find a scope").fill("");
    expect(await findings()).toEqual([]);
    await picture("key-scopes");
    await page.getByRole("button", { name: "Read only" }).click();
    await expect.poll(() => page.getByLabel(/^Plans/).inputValue()).toBe("read");
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByText("No scope is chosen: the key could do nothing.").waitFor();
    await page.getByText("Still needed: a name, at least one scope.").waitFor();
    await close();
  });

  test("a limit of each user alone leaves the service's default in place", async () => {
    const { page, close } = await bench.signIn("ada");
    await page.goto(`${bench.url}/keys/new`);
    await page.getByLabel("Name", { exact: true }).fill("per user");
    await page.getByLabel(/^Plans/).selectOption("Read");
    await page.getByRole("heading", { name: "Advanced" }).click();
    await page.getByLabel("Per minute", { exact: true }).fill("5");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByTestId("secret").waitFor();
    const { keys } = await bench.call("ada", "api-keys/list", { name_prefix: "per user" });
    expect(keys[0].rate_limit).toMatchObject({ requests_per_minute: 120, per_user: { requests_per_minute: 5 } });
    await page.context().close();
    void close;
  });
});

test("the rules of the organization are shown where they bind, and a key within them is made", async () => {
  await bench.found("rita", "Rules");
  await bench.call("rita", "api-keys/create", { name: "before", permissions: ["plans:read"] });
  await bench.call("rita", "api-keys/policy/set", {
    policy: {
      max_lifetime_hours: 24 * 40,
      allowed_ips_required: true,
      permissions: ["plans:read", "users:*"],
      max_rate_limit: { requests_per_minute: 600 },
      max_keys: 2,
    },
  });
  const { page, close, picture, findings } = await bench.signIn("rita", CLIPBOARD);
  await page.goto(`${bench.url}/keys/new`);
  await page.getByText("1 of 2 keys").waitFor();
  await page.getByText("Keys live for at most 40 days by your organization's rule.").waitFor();
  await expect.poll(() => page.getByLabel("The key stops working").inputValue()).toBe("30");
  expect(await page.getByLabel("The key stops working").locator("option").allTextContents()).toEqual([
    "In 7 days",
    "In 30 days",
    "At a time of your choice",
  ]);
  await expect.poll(() => page.getByRole("list", { name: "Scopes" }).getByRole("combobox").count()).toBe(2);
  await page.getByLabel("Name", { exact: true }).fill("within");
  await page.getByLabel(/^Plans/).selectOption("Read");
  await page.getByText("Still needed: a valid limit, allowed addresses.").waitFor();
  await page.getByLabel("Requests per minute", { exact: true }).fill("601");
  await page.getByText("Must be 1 to 600.").waitFor();
  await page.getByLabel("Requests per minute", { exact: true }).fill("600");
  await page.getByLabel("Allowed addresses").fill("192.0.2.0/24\n198.51.100.7");
  expect(await findings()).toEqual([]);
  await picture("key-rules");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "Copy key" }).click();
  await page.getByText("The key is copied.").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("198.51.100.7", { exact: true }).waitFor();
  await page.goto(`${bench.url}/keys/new`);
  await page.getByText("Your organization has as many keys as it may have").waitFor();
  await close();
});
