import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleBench, startConsole } from "../harness/console.ts";

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole();
  await bench.found("ada", "Analytical Engines");
  await bench.join("vera", "ada", "viewer");
});

afterAll(() => bench.close());

describe("a tenant's admin", () => {
  test("begins with an empty page, creates a secret key, sees its value once, and calls with it", async () => {
    await bench.found("eve", "Eve's");
    const { page, close, picture, findings } = await bench.signIn("eve");
    await page.getByRole("heading", { name: "No keys yet" }).waitFor();
    await picture("keys-empty");
    await page.getByRole("link", { name: "Create your first key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("backend");
    await page.getByLabel("plans:read").check();
    await page.getByLabel("Requests per minute").fill("60");
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
    await picture("key-issued");
    expect(await findings()).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: "Done" }).isDisabled()).resolves.toBe(true);
    // The browser asks before it leaves.
    const asked = new Promise<string>((resolve) => {
      page.once("dialog", (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      });
    });
    void page.close({ runBeforeUnload: true });
    expect(await asked).toBe("beforeunload");
    await page.getByLabel("I have stored the key").check();
    await page.getByRole("button", { name: "Done" }).click();

    await page.getByRole("heading", { name: "backend" }).waitFor();
    expect(await page.content()).not.toContain(secret);
    const verified = await bench.latchkey.call("/api/v1/auth/verify", { scope: "plans:read" }, { "x-api-key": secret });
    expect(verified.status).toBe(200);
    await picture("key");
    expect(await findings()).toEqual([]);
    await close();
  });

  test("edits, disables, enables, rotates and revokes a key", async () => {
    const created = await bench.call("ada", "api-keys/create", { name: "worker", permissions: ["plans:read"] });
    const { page, close, picture, findings } = await bench.signIn("ada");
    await page.getByRole("link", { name: "worker" }).click();

    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Description").fill("nightly jobs");
    await page.getByLabel("plans:write").check();
    await picture("key-edit");
    expect(await findings()).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("nightly jobs").waitFor();
    const { result } = await bench.call("ada", "api-keys/get", { key_id: created.result.key_id });
    expect(result).toMatchObject({
      name: "worker",
      description: "nightly jobs",
      permissions: ["plans:read", "plans:write"],
    });

    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("Disabled", { exact: true }).waitFor();
    await page.getByText("It would be denied: ").waitFor();
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByText("Active", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByLabel("Hours for which both work").fill("48");
    await page.getByRole("img", { name: /Both keys work until/ }).waitFor();
    await picture("key-rotate");
    expect(await findings()).toEqual([]);
    await page.getByRole("button", { name: "Rotate key" }).click();
    const successor = (await page.getByTestId("secret").textContent()) ?? "";
    for (const key of [created.result.key, successor]) {
      const verified = await bench.latchkey.call("/api/v1/auth/verify", { scope: "plans:write" }, { "x-api-key": key });
      expect(verified.status).toBe(200);
    }
    await page.getByLabel("I have stored the key").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Predecessor").waitFor();

    await page.getByRole("button", { name: "Revoke" }).click();
    const revoke = page.getByRole("button", { name: "Revoke key" });
    await page.getByLabel(/Type the key's name/).fill("work");
    expect(await revoke.isDisabled()).toBe(true);
    await page.getByLabel(/Type the key's name/).fill("worker");
    await picture("key-revoke");
    expect(await findings()).toEqual([]);
    await revoke.click();
    await page.getByText("Revoked", { exact: true }).first().waitFor();
    const denied = await bench.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": successor });
    expect(denied.json.denial_reason).toBe("api_key_revoked");
    await close();
  });

  test("sees what the API says where a change is refused", async () => {
    const created = await bench.call("ada", "api-keys/create", { name: "short-lived", permissions: ["plans:read"] });
    const { page, close } = await bench.signIn("ada");
    await page.getByRole("link", { name: "short-lived" }).click();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await bench.call("ada", "api-keys/revoke", { key_id: created.result.key_id });
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Name", { exact: true }).fill("longer");
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("alert")
      .filter({ hasText: /revoked/i })
      .waitFor();
    await close();
  });
});

test("a publishable key's form checks the configuration while it is typed, and a pasted token step by step", async () => {
  const { issuer, jwksUrl } = bench.provider;
  const { page, close, picture, findings } = await bench.signIn("ada");
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
  await expect.poll(() => page.getByLabel("api_keys:read").count()).toBe(0);
  await page.getByLabel("conversations:read").check();
  await page.getByRole("button", { name: "Create key" }).click();
  const key = (await page.getByTestId("secret").textContent()) ?? "";
  const headers = { "x-api-key": key, authorization: `Bearer ${token}` };
  expect((await bench.latchkey.call("/api/v1/auth/verify", {}, headers)).json).toMatchObject({ user_id: "someone" });
  await page.getByLabel("I have stored the key").check();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { name: "Try a user's token" }).waitFor();
  await close();
});

test("a viewer sees keys and no way to change them, and the API refuses it all the same", async () => {
  const created = await bench.call("ada", "api-keys/create", { name: "seen", permissions: ["plans:read"] });
  const { page, close, picture } = await bench.signIn("vera");
  await page.getByRole("link", { name: "seen" }).click();
  await page.getByRole("heading", { name: "seen" }).waitFor();
  await picture("key-viewer");
  for (const name of ["Edit", "Disable", "Rotate", "Revoke"])
    await expect.poll(() => page.getByRole("button", { name, exact: true }).count(), { message: name }).toBe(0);
  await page.goto(`${bench.url}/keys`);
  await page.getByRole("link", { name: "seen" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Create key" }).count()).toBe(0);
  await page.goto(`${bench.url}/keys/new`);
  await page.getByRole("heading", { name: "Nothing here" }).waitFor();
  await expect(bench.call("vera", "api-keys/revoke", { key_id: created.result.key_id })).rejects.toThrow(
    "insufficient_scope",
  );
  await close();
});

test("a key's page shows what fences it in", async () => {
  const created = await bench.call("ada", "api-keys/create", {
    name: "fenced",
    permissions: ["plans:read"],
    allowed_ips: ["192.0.2.0/24"],
    external_id: "customer 7",
    metadata: { plan: "pro" },
    rate_limit: { requests_per_minute: 600, per_user: { requests_per_minute: 60 } },
  });
  const { page, close, picture } = await bench.signIn("ada");
  await page.goto(`${bench.url}/keys/${created.result.key_id}`);
  for (const text of ["192.0.2.0/24", "customer 7", '{"plan":"pro"}'])
    await page.getByText(text, { exact: true }).waitFor();
  await page.getByText("For each user at most 60 requests a minute.").waitFor();
  await picture("key-fenced");
  await close();
});

test("a key is created with the keyboard alone", async () => {
  const { page, close } = await bench.signIn("ada");
  await page.getByRole("link", { name: "Create key" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Create a key" }).waitFor();
  await tabTo("Name");
  await page.keyboard.type("by keyboard");
  await tabTo("billing:read");
  await page.keyboard.press("Space");
  await tabTo("Create key");
  await page.keyboard.press("Enter");
  await tabTo("I have stored the key");
  await page.keyboard.press("Space");
  await tabTo("Done");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "by keyboard" }).waitFor();
  await tabTo("Edit");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  // The focus is back where it came from.
  await expect.poll(focused).toBe("Edit");
  await close();

  async function focused(): Promise<unknown> {
    return page.evaluate(`(() => {
      const { activeElement: at } = document;
      return (at.labels?.[0] ?? at).textContent.trim() || at.getAttribute("aria-label");
    })()`);
  }

  async function tabTo(name: string): Promise<void> {
    for (let presses = 0; presses < 80; presses++) {
      if ((await focused()) === name) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`no element named ${name} can be reached by Tab`);
  }
});

test("the table finds one of 10,000 keys, and every filter is kept in the address", async () => {
  const tenant = await bench.found("mara", "Many keys");
  await bench.storeKeys(tenant, 10_000);
  const { page, close, picture, findings } = await bench.signIn("mara");
  await page.getByText("Page 1 of 200, 10,000 in all").waitFor();
  await expect.poll(() => page.getByRole("row").count()).toBe(51);
  await picture("keys-many");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Page 2 of 200, 10,000 in all").waitFor();
  await page.getByLabel("Search").fill("service 7777");
  await page.getByRole("link", { name: "service 7777", exact: true }).waitFor();
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await page.reload();
  await page.getByRole("link", { name: "service 7777", exact: true }).waitFor();
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await page.getByLabel("Status").selectOption("revoked");
  await page.getByRole("heading", { name: "No key matches" }).waitFor();
  await page.getByLabel("Search").fill("");
  await page.getByLabel("Status").selectOption("");
  await page.getByLabel("Scope").selectOption("plans:write");
  await page.getByText("5,000 in all").waitFor();
  expect(await findings()).toEqual([]);
  await close();
});

describe.each([360, 768, 2_000])("at %i pixels", (width) => {
  test.each(["light", "dark"] as const)(
    "in %s colours, nothing is cut off and axe finds nothing",
    async (colorScheme) => {
      const { page, close, picture, findings } = await bench.signIn("ada", {
        viewport: { width, height: 900 },
        colorScheme,
      });
      await page.getByRole("row").nth(1).waitFor();
      await picture(`keys-${width}-${colorScheme}`);
      await expect
        .poll(() => page.evaluate("document.documentElement.scrollWidth - innerWidth"))
        .toBeLessThanOrEqual(0);
      expect(await findings()).toEqual([]);
      await page.goto(`${bench.url}/keys/new`);
      await page.getByLabel("plans:read").waitFor();
      await picture(`key-new-${width}-${colorScheme}`);
      await expect
        .poll(() => page.evaluate("document.documentElement.scrollWidth - innerWidth"))
        .toBeLessThanOrEqual(0);
      expect(await findings()).toEqual([]);
      await close();
    },
  );
});
