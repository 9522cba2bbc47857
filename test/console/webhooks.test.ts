// promise: delivery.same-body
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EVENT_TYPES } from "../../src/domain/webhooks/event-types.ts";
import { type ConsoleBench, startConsole, type Visit } from "../harness/console.ts";
import { openReceiver, type Receiver } from "../webhooks/receiver.ts";

let bench: ConsoleBench;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await openReceiver();
  bench = await startConsole({ webhookAllowedHosts: [receiver.host] });
});

afterAll(async () => {
  await bench.close();
  await receiver.close();
});

let users = 0;

async function founded(): Promise<string> {
  const owner = `hooks-${++users}`;
  await bench.found(owner, `Hooks ${users}`);
  return owner;
}

async function visitWebhooks(sub: string): Promise<Visit> {
  const visit = await bench.signIn(sub);
  await visit.page.getByRole("link", { name: "Webhooks" }).click();
  await visit.page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  return visit;
}

/** An endpoint that the API has made, opened on the page. */
async function opened(owner: string, events: readonly string[] = ["*"]): Promise<Visit & { webhookId: string }> {
  const { result } = await bench.call(owner, "webhooks/create", { url: receiver.url, events });
  const visit = await visitWebhooks(owner);
  await visit.page.getByRole("link", { name: receiver.url }).click();
  await visit.page.getByRole("heading", { name: receiver.url }).waitFor();
  return { ...visit, webhookId: result.webhook_id };
}

async function createKey(owner: string): Promise<string> {
  const { result } = await bench.call(owner, "api-keys/create", { name: "a key", permissions: ["plans:read"] });
  return result.key_id;
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const deliveries = (page: Page) => page.getByRole("table", { name: "Deliveries" });
const requestsAbout = (text: string) => receiver.received.filter(({ body }) => body.includes(text));

test("an endpoint is added, with its secret once, and then listed", async () => {
  const owner = await founded();
  const { page, picture, findings, close } = await visitWebhooks(owner);
  await page.getByRole("heading", { name: "No endpoint yet" }).waitFor();
  await button(page, "Add an endpoint").click();
  await page.getByLabel("URL").fill("https://10.0.0.1/");
  await button(page, "Add endpoint").click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("must name a public host");
  await page.getByLabel("URL").fill(receiver.url);
  await page.getByLabel("Description").fill("On-call bot");
  await page.getByLabel("All events").uncheck();
  const dialog = page.getByRole("dialog");
  expect(await dialog.locator("code").allTextContents()).toEqual([...EVENT_TYPES]);
  await page.getByLabel("api_key.revoked").check();
  await page.getByLabel("run.failed").check();
  await picture("webhook-new");
  expect(await findings()).toEqual([]);
  await button(page, "Add endpoint").click();
  const secret = (await page.getByTestId("secret").textContent()) ?? "";
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  await page.getByLabel("I have stored the secret").check();
  await button(page, "Done").click();
  await page.getByRole("row", { name: /On-call bot.*api_key\.revoked and 1 more.*Enabled/ }).waitFor();
  expect(await page.content()).not.toContain(secret);
  await picture("webhooks");
  expect(await findings()).toEqual([]);
  await close();
});

test("what was sent is shown byte for byte, and sent again", async () => {
  const owner = await founded();
  const { page, picture, findings, close } = await opened(owner);
  await page.getByRole("heading", { name: "No delivery" }).waitFor();
  const keyId = await createKey(owner);
  await expect.poll(() => requestsAbout(keyId).length, { timeout: 60_000 }).toBe(1);
  await page.reload();
  await deliveries(page)
    .getByRole("row", { name: /api_key\.created.*Delivered.*1.*204/ })
    .waitFor();
  await picture("webhook");
  expect(await findings()).toEqual([]);
  const [sent] = requestsAbout(keyId);
  await button(page, `Details of ${sent?.id}`).click();
  await expect.poll(() => page.getByTestId("body").textContent()).toBe(sent?.body);
  await picture("webhook-delivery");
  expect(await findings()).toEqual([]);
  await button(page, "Close").click();
  await button(page, `Redeliver ${sent?.id}`).click();
  await expect.poll(() => requestsAbout(keyId).length, { timeout: 60_000 }).toBe(2);
  const [first, second] = requestsAbout(keyId);
  expect([second?.id, second?.body]).toEqual([first?.id, first?.body]);
  await button(page, "Send again since…").click();
  await page.getByLabel("Which events").selectOption("all");
  await button(page, "Send again").click();
  await page.getByText(/events? (is|are) sent again\./).waitFor();
  await close();
});

test("an attempt that fails is shown with its answer and the next attempt", async () => {
  const owner = await founded();
  const { page, close } = await opened(owner);
  receiver.respond = (_req, res) => void res.writeHead(503).end("closed for lunch");
  try {
    const keyId = await createKey(owner);
    await expect.poll(() => requestsAbout(keyId).length, { timeout: 60_000 }).toBeGreaterThan(0);
    await page.reload();
    const row = deliveries(page).getByRole("row", { name: /api_key\.created.*Retrying.*503/ });
    await row.waitFor();
    await row.getByRole("button", { name: /^Details/ }).click();
    await page.getByText("closed for lunch").waitFor();
    await button(page, "Close").click();
    await button(page, "Send a test").click();
    await page.getByText("The test was not delivered. The endpoint answered 503").waitFor();
    await page.getByLabel("Status").selectOption("Delivered");
    await page.getByRole("heading", { name: "No delivery" }).waitFor();
  } finally {
    receiver.respond = (_req, res) => void res.writeHead(204).end();
  }
  await close();
});

test("an endpoint is tested, changed, disabled, enabled, given a new secret and deleted", async () => {
  const owner = await founded();
  const { page, findings, close, webhookId } = await opened(owner);
  await button(page, "Send a test").click();
  await page.getByText("The test was delivered. The endpoint answered 204").waitFor();
  expect(requestsAbout(webhookId)).toHaveLength(1);
  await button(page, "Edit").click();
  await page.getByLabel("Description").fill("changed");
  await button(page, "Save").click();
  await page.getByRole("definition").filter({ hasText: "changed" }).waitFor();
  await button(page, "Disable").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Disable" }).click();
  await button(page, "Enable").waitFor();
  await button(page, "Enable").click();
  await button(page, "Disable").waitFor();
  await button(page, "Rotate secret").click();
  await button(page, "Make a new secret").click();
  await expect.poll(() => page.getByTestId("secret").textContent()).toMatch(/^whsec_/);
  await page.getByLabel("I have stored the secret").check();
  await button(page, "Done").click();
  await page.getByText("Old secret signs, too, until").waitFor();
  expect(await findings()).toEqual([]);
  await button(page, "Delete").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No endpoint yet" }).waitFor();
  await close();
});

test("a viewer sees endpoints and deliveries, and changes none", async () => {
  const owner = await founded();
  await bench.call(owner, "webhooks/create", { url: receiver.url, events: ["*"] });
  const viewer = `${owner}-viewer`;
  await bench.join(viewer, owner, "viewer");
  const { page, close } = await visitWebhooks(viewer);
  expect(await button(page, "Add an endpoint").count()).toBe(0);
  await page.getByRole("link", { name: receiver.url }).click();
  await page.getByRole("heading", { name: "Deliveries" }).waitFor();
  for (const name of ["Send a test", "Edit", "Disable", "Rotate secret", "Delete", /^Redeliver/, /^Send again/]) {
    expect(await button(page, name).count()).toBe(0);
  }
  await close();
});
