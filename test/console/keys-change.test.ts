import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleBench, startConsole } from "../harness/console.ts";

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole();
  await bench.found("ada", "Analytical Engines");
});

afterAll(() => bench.close());

const create = (values: object) =>
  bench.call("ada", "api-keys/create", { permissions: ["plans:read"], ...values }).then(({ result }) => result);
const get = (key_id: string) => bench.call("ada", "api-keys/get", { key_id }).then(({ result }) => result);
const verify = (key: string, body = {}) => bench.latchkey.call("/api/v1/auth/verify", body, { "x-api-key": key });

test("edits, disables, enables, rotates and revokes a key", async () => {
  const created = await create({ name: "worker" });
  const { page, close, picture, findings } = await bench.signIn("ada", CLIPBOARD);
  await page.getByRole("link", { name: "worker" }).click();

  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByText("Nothing is changed yet.").waitFor();
  await page.getByLabel("Description").fill("nightly jobs");
  await page.getByLabel(/^Plans/).selectOption("Read and write");
  await picture("key-edit");
  expect(await findings()).toEqual([]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("nightly jobs").waitFor();
  expect(await get(created.key_id)).toMatchObject({
    name: "worker",
    description: "nightly jobs",
    permissions: ["plans:read", "plans:write"],
  });

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await page.getByRole("alertdialog").getByText("Last used: never").waitFor();
  expect((await get(created.key_id)).status).toBe("KEY_STATUS_ACTIVE");
  await page.getByRole("button", { name: "Disable key" }).click();
  await page.getByText("Disabled", { exact: true }).waitFor();
  await page.getByText("A call would be denied: ").waitFor();
  await page.getByText("It cannot be used as it is.").waitFor();
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByText("Active", { exact: true }).waitFor();

  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("button", { name: "7 days" }).click();
  await expect.poll(() => page.getByLabel("Hours for which both work").inputValue()).toBe("168");
  await page.getByLabel("Hours for which both work").fill("48");
  await page.getByRole("img", { name: /Both keys work until/ }).waitFor();
  await picture("key-rotate");
  expect(await findings()).toEqual([]);
  await page.getByRole("button", { name: "Rotate key" }).click();
  const successor = (await page.getByTestId("secret").textContent()) ?? "";
  for (const key of [created.key, successor]) expect((await verify(key, { scope: "plans:write" })).status).toBe(200);
  await page.getByRole("button", { name: "Copy key" }).click();
  await page.getByText("The key is copied.").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("Predecessor").waitFor();
  await page.getByText("The old key ends in 2 days").waitFor();
  await picture("key-rotating");
  await page.getByRole("link", { name: "Open the old key" }).click();
  await page.getByText("This key ends in 2 days").waitFor();
  await page.getByText("Rotating", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open the new key" }).click();
  await page.getByText("Predecessor").waitFor();

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  const revoke = page.getByRole("button", { name: "Revoke key" });
  await page.getByLabel(/Type the key's name/).fill("work");
  expect(await revoke.isDisabled()).toBe(true);
  await page.getByLabel(/Type the key's name/).fill("worker");
  await picture("key-revoke");
  expect(await findings()).toEqual([]);
  await revoke.click();
  await page.getByText("Revoked", { exact: true }).first().waitFor();
  expect((await verify(successor)).json.denial_reason).toBe("api_key_revoked");
  // The keyboard goes on from the page, not from its begin.
  await expect.poll(() => page.evaluate("document.activeElement === document.body")).toBe(false);
  await close();
});

test("sees what the API says where a change is refused, and keeps what was typed", async () => {
  const created = await create({ name: "short-lived" });
  const { page, close } = await bench.signIn("ada");
  await page.getByRole("link", { name: "short-lived" }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Name", { exact: true }).fill("longer");
  await bench.call("ada", "api-keys/revoke", { key_id: created.key_id });
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: /revoked/i })
    .waitFor();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("longer");
  await close();
});

describe("an edit", () => {
  test("of one limit keeps the others, and the limit of each user", async () => {
    const limits = { requests_per_minute: 600, requests_per_hour: 9_000, per_user: { requests_per_minute: 60 } };
    const { key_id } = await create({ name: "limited", rate_limit: limits });
    const { page, close } = await bench.signIn("ada");
    await page.goto(`${bench.url}/keys/${key_id}/edit`);
    await page.getByLabel("Requests per minute", { exact: true }).fill("500");
    await page.getByRole("button", { name: "Save" }).click();
    // The form has the sentence as soon as it is typed.
    await page.getByText("Key saved").waitFor();
    await page.getByText(/At most 500 requests a minute and 9,000 requests an hour/).waitFor();
    await page.getByText("For each user at most 60 requests a minute.").waitFor();
    expect((await get(key_id)).rate_limit).toMatchObject({ ...limits, requests_per_minute: 500 });
    await close();
  });

  test("of what a page could not show before: addresses, the tenant's own id and metadata", async () => {
    const { key_id } = await create({ name: "tagged", allowed_ips: ["192.0.2.0/24"], metadata: { plan: "pro" } });
    const { page, close } = await bench.signIn("ada");
    await page.goto(`${bench.url}/keys/${key_id}/edit`);
    await page.getByLabel("Allowed addresses").fill("");
    await page.getByLabel("Your id").fill("customer 8");
    await page.getByLabel("Metadata").fill("{");
    await page.getByText("Must be a JSON object.").waitFor();
    await page.getByLabel("Metadata").fill('{"plan":"free","seats":3}');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: "seats 3" }).waitFor();
    const result = await get(key_id);
    expect(result).toMatchObject({ allowed_ips: [], external_id: "customer 8", metadata: { plan: "free", seats: 3 } });
    await close();
  });
});

test("a leaked key says so, is enabled only after a question, and offers its replacement", async () => {
  const leaked = await create({ name: "leaky", permissions: ["plans:read", "users:read"], external_id: "c7" });
  const report = { reports: [{ key: leaked.key, url: "https://gist.example.com/1" }] };
  expect((await bench.latchkey.call("/api/v1/api-keys/report-leak", report)).status).toBe(200);
  const { page, close, picture, findings } = await bench.signIn("ada", CLIPBOARD);
  await page.getByRole("button", { name: "Leaked" }).click();
  await page.getByRole("link", { name: "leaky" }).click();
  await page.getByText("This key leaked, and was disabled").waitFor();
  await page.getByText("https://gist.example.com/1").waitFor();
  await picture("key-leaked");
  expect(await findings()).toEqual([]);
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("heading", { name: "Enable the leaked key leaky?" }).waitFor();
  await picture("key-leaked-enable");
  expect((await get(leaked.key_id)).status).toBe("KEY_STATUS_DISABLED");
  await page.getByRole("alertdialog").getByRole("button", { name: "Create a replacement" }).click();
  await page.getByRole("heading", { name: "Replace a key" }).waitFor();
  await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("leaky");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "Copy key" }).click();
  await page.getByText("The key is copied.").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  const { keys } = await bench.call("ada", "api-keys/list", { external_id: "c7" });
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatchObject({ permissions: ["plans:read", "users:read"], status: "KEY_STATUS_ACTIVE" });
  await page.goto(`${bench.url}/keys/${leaked.key_id}`);
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("button", { name: "Enable it all the same" }).click();
  await page.getByText("This key leaked, and works").waitFor();
  await close();
});

test("a key's first use shows in its record as soon as in its usage", async () => {
  const { key, key_id } = await create({ name: "fresh" });
  const { page, close } = await bench.signIn("ada");
  await page.goto(`${bench.url}/keys/${key_id}`);
  await page.getByText("This key has not been used yet.").waitFor();
  await page.getByText("/api/v1/auth/verify").waitFor();
  expect((await verify(key)).status).toBe(200);
  await page.getByText("Since the key was created:").waitFor();
  await page.locator("dt", { hasText: "Last used" }).locator("+ dd time").waitFor();
  await close();
});

test("the page of an unused publishable key asks for a user's token, too", async () => {
  const { issuer, jwksUrl } = bench.provider;
  const publishableConfig = { oidc: { issuer, jwksUrl, audience: "app" } };
  const values = { name: "app", keyType: "KEY_TYPE_PUBLISHABLE", permissions: ["users:read"], publishableConfig };
  const { key_id } = await create(values);
  const { page, close } = await bench.signIn("ada");
  await page.goto(`${bench.url}/keys/${key_id}`);
  await page.getByText("authorization: Bearer $USER_TOKEN").waitFor();
  await page.getByText("A call would be allowed if it has a valid token of a user.").waitFor();
  await bench.call("ada", "api-keys/revoke", { key_id });
  await page.reload();
  await page.getByText("It cannot be used as it is.").waitFor();
  await expect.poll(() => page.getByText("curl").count()).toBe(0);
  await close();
});

test("a key's page shows what fences it in, who made it, and what was done to it", async () => {
  const { key_id, key } = await create({
    name: "fenced",
    allowed_ips: ["192.0.2.0/24"],
    external_id: "customer 7",
    metadata: { plan: "pro" },
    rate_limit: { requests_per_minute: 600, per_user: { requests_per_minute: 60 } },
    expires_at: new Date(Date.now() + 3 * 86_400_000 + 60_000).toISOString(),
  });
  expect((await verify(key)).json.denial_reason).toBe("origin_not_allowed");
  await bench.join("dev", "ada", "admin");
  const { page, close, picture, findings } = await bench.signIn("dev", CLIPBOARD);
  await page.goto(`${bench.url}/keys/${key_id}`);
  for (const text of ["192.0.2.0/24", "customer 7"]) await page.getByText(text, { exact: true }).waitFor();
  await page.getByRole("row", { name: "plan pro" }).waitFor();
  // It has no origins: what is wrong is the address.
  await page.getByText("Address or origin not allowed").first().waitFor();
  await page.getByText("For each user at most 60 requests a minute.").waitFor();
  await page.getByText("A call would be allowed if it comes from an allowed address.").waitFor();
  await page.getByRole("listitem").filter({ hasText: "Address and origin" }).getByText("Depends").waitFor();
  await page.getByText("This key expires in 3 days").waitFor();
  await page.getByText("ada@example.com").first().waitFor();
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  await page.getByText(/created the key/).waitFor();
  await page.getByRole("button", { name: "Copy key id" }).click();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key_id);
  await picture("key-fenced");
  expect(await findings()).toEqual([]);
  await close();
});

test.each(["light", "dark"] as const)(
  "in %s colours, a key's page is not cut off at 390 and 1,440 pixels",
  async (colorScheme) => {
    const { key_id } = await create({
      name: "billing-service-production-europe",
      metadata: { plan: "pro", region: "eu-central" },
      external_id: "customer 7",
      rate_limit: { requests_per_minute: 600 },
    });
    const { page, close, picture, findings } = await bench.signIn("ada", { colorScheme });
    await page.goto(`${bench.url}/keys/${key_id}`);
    await page.getByText(/created the key/).waitFor();
    const look = async (name: string): Promise<void> => {
      for (const width of [390, 1_440]) {
        await page.setViewportSize({ width, height: 900 });
        await picture(`${name}-${width}-${colorScheme}`);
        await expect
          .poll(() => page.evaluate("document.documentElement.scrollWidth - innerWidth"))
          .toBeLessThanOrEqual(0);
        expect(await findings()).toEqual([]);
      }
    };
    await look("key");
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("img", { name: /Both keys work until/ }).waitFor();
    await look("key-rotate");
    await close();
  },
);
