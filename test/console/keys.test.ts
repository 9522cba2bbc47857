import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleBench, startConsole } from "../harness/console.ts";
import { createFormat, drawText, importAll, rowOf } from "../harness/imports.ts";
import { operatorOf } from "../harness/operator.ts";

let bench: ConsoleBench;

beforeAll(async () => {
  bench = await startConsole();
  await bench.found("ada", "Analytical Engines");
  await bench.join("vera", "ada", "viewer");
});

afterAll(() => bench.close());

test("a viewer sees keys and no way to change them, and the API refuses it all the same", async () => {
  const created = await bench.call("ada", "api-keys/create", { name: "seen", permissions: ["plans:read"] });
  const { page, close, picture } = await bench.signIn("vera");
  await page.getByRole("link", { name: "seen" }).click();
  await page.getByRole("heading", { name: "seen" }).waitFor();
  await picture("key-viewer");
  for (const name of ["Edit", "Rotate", "More actions"])
    await expect.poll(() => page.getByRole("button", { name, exact: true }).count(), { message: name }).toBe(0);
  await page.goto(`${bench.url}/keys`);
  await page.getByRole("link", { name: "seen" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Create key" }).count()).toBe(0);
  await expect.poll(() => page.getByRole("button", { name: "Actions of seen" }).count()).toBe(0);
  await page.goto(`${bench.url}/keys/new`);
  await page.getByRole("heading", { name: "Nothing here" }).waitFor();
  await expect(bench.call("vera", "api-keys/revoke", { key_id: created.result.key_id })).rejects.toThrow(
    "insufficient_scope",
  );
  await close();
});

describe("the search", () => {
  test("finds a key that is pasted, and only its prefix leaves the field", async () => {
    const { result } = await bench.call("ada", "api-keys/create", { name: "pasted", permissions: ["plans:read"] });
    await bench.call("ada", "api-keys/create", { name: "other", permissions: ["plans:read"] });
    const { page, close } = await bench.signIn("ada");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url(), request.postData() ?? ""));
    const branded = result.key.replace(/^sk_/, "sk_acme_");
    for (const text of [result.key, `LATCHKEY_KEY=${result.key}`, branded]) {
      await page.getByLabel("Search").fill(text);
      await expect.poll(() => new URL(page.url()).searchParams.get("search")).toBe(result.key_prefix);
      await page.getByRole("link", { name: "pasted", exact: true }).waitFor();
      await expect.poll(() => page.getByRole("row").count()).toBe(2);
      expect(await page.getByLabel("Search").inputValue()).toBe(result.key_prefix);
      await page.getByLabel("Search").fill("");
      await page.getByRole("link", { name: "other", exact: true }).waitFor();
    }
    await page.goto(`${bench.url}/keys?search=${result.key}`);
    await page.getByRole("link", { name: "pasted", exact: true }).waitFor();
    const secret = result.key.slice(result.key_prefix.length);
    // The address that a person wrote by hand is their own.
    expect(sent.filter((text) => text.includes(secret) && !text.includes("?search="))).toEqual([]);
    await close();
  });

  test("finds a part of a name, of an id and of the tenant's own id", async () => {
    const created = { name: "nightly importer", external_id: "customer-4711", permissions: ["plans:read"] };
    const { result } = await bench.call("ada", "api-keys/create", created);
    const { page, close } = await bench.signIn("ada");
    for (const text of ["IMPORT", "4711", result.key_id.slice(6)]) {
      await page.getByLabel("Search").fill(text);
      await expect.poll(() => page.getByRole("row").count()).toBe(2);
      await page.getByRole("link", { name: "nightly importer" }).waitFor();
    }
    await close();
  });
});

test("the list shows what needs a look: leaked, expiring and unused keys, and the uses of seven days", async () => {
  await bench.found("nora", "Needs a look");
  const create = async (name: string, values: object = {}) =>
    (
      await bench.call("nora", "api-keys/create", {
        name,
        permissions: ["plans:read", "users:read", "billing:read"],
        ...values,
      })
    ).result;
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000 + 60_000).toISOString();
  await create("expiring", { expires_at: inDays(3) });
  const leaked = await create("leaked");
  const used = await create("used");
  const old = await create("rotated");
  await bench.call("nora", "api-keys/rotate", { key_id: old.key_id, grace_period_hours: 48 });
  await bench.latchkey.call("/api/v1/api-keys/report-leak", { reports: [{ key: leaked.key }] });
  for (const scope of ["plans:read", "plans:read", "plans:write"])
    await bench.latchkey.call("/api/v1/auth/verify", { scope }, { "x-api-key": used.key });
  await bench.call("nora", "api-keys/usage", { key_id: used.key_id });
  const { page, close, picture, findings } = await bench.signIn("nora");
  const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  await row("expiring").getByText("Expires in 3 days").waitFor();
  await row("leaked").getByText("Leaked", { exact: true }).waitFor();
  await row("rotated").getByText("Rotating", { exact: true }).waitFor();
  await page.reload();
  await row("used").getByRole("img", { name: "3 requests in 7 days, 1 denied" }).waitFor();
  await row("used").getByText("+1 more").waitFor();
  await picture("keys-list");
  expect(await findings()).toEqual([]);
  await page.getByRole("button", { name: "Expires in 30 days" }).click();
  // The one that was rotated ends, too.
  await expect.poll(() => page.getByRole("row").count()).toBe(3);
  await page.getByRole("button", { name: "Leaked" }).click();
  await row("leaked").waitFor();
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await page.getByRole("button", { name: "Unused for 30 days" }).click();
  await page.getByRole("heading", { name: "No key matches" }).waitFor();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await row("used").waitFor();
  await row("used").getByRole("button", { name: "Actions of used" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByRole("alertdialog").waitFor();
  await page.keyboard.press("Escape");
  // The focus is back on the row's menu.
  await expect.poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Actions of used");
  await close();
});

test("imported keys show their format, are listed by it, and lead to those without a use since a day", async () => {
  const tenant_id = await bench.found("iris", "Moved here");
  const { latchkey } = bench;
  const [old, older] = [await createFormat(latchkey), await createFormat(latchkey)];
  const texts = [drawText(old), drawText(older), drawText(old)] as const;
  const rows = [
    rowOf(old, texts[0], { tenant_id, name: "nightly", key_prefix: texts[0].slice(0, 12) }),
    rowOf(older, texts[1], { tenant_id, name: "forgotten", created_at: "2024-05-06T07:08:09Z" }),
    rowOf(old, texts[2], { tenant_id, name: "ended", revoked_at: "2025-01-01T00:00:00Z" }),
  ];
  await importAll(operatorOf(latchkey), rows);
  await bench.call("iris", "api-keys/create", { name: "made here", permissions: ["plans:read"] });
  await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": texts[0] });
  const { page, close, picture, findings } = await bench.signIn("iris");
  const names = () => page.getByRole("rowheader").getByRole("link").first().allTextContents();
  const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  await row("made here").waitFor();
  await expect.poll(() => page.getByRole("row").count()).toBe(5);
  await row("forgotten").getByRole("link", { name: older.key_format }).click();
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await expect.poll(names).toEqual(["forgotten"]);
  await page.getByLabel("Origin").selectOption({ label: "Imported" });
  await expect.poll(() => page.getByRole("row").count()).toBe(4);
  await picture("keys-imported");
  expect(await findings()).toEqual([]);
  // Tomorrow: the key that was used today is listed, too.
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("Not used since").fill(day(2));
  await expect.poll(() => page.getByRole("row").count()).toBe(3);
  await page.getByLabel("Not used since").fill(day(-2));
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await expect.poll(names).toEqual(["forgotten"]);
  await picture("keys-imported-unused");
  await page.reload();
  await row("forgotten").getByRole("link", { name: "forgotten" }).click();
  await page.getByText("Imported", { exact: true }).waitFor();
  await picture("key-imported");
  expect(await findings()).toEqual([]);
  await page.getByRole("link", { name: older.key_format }).click();
  await page.getByText("Another system issued these keys").waitFor();
  await close();
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
  await page.goto(`${bench.url}/keys?page=999`);
  await page.getByRole("heading", { name: "There is no page 999" }).waitFor();
  await page.getByRole("button", { name: "Go to the first page" }).click();
  await page.getByText("Page 1 of 200, 10,000 in all").waitFor();
  expect(await findings()).toEqual([]);
  await close();
});

test.each(["light", "dark"] as const)(
  "in %s colours, from 360 to 2,000 pixels, nothing is cut off and axe finds nothing",
  async (colorScheme) => {
    const { page, close, picture, findings } = await bench.signIn("ada", { colorScheme });
    const widths = [360, 390, 768, 1_440, 2_000];
    const look = async (name: string): Promise<void> => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await picture(`${name}-${width}-${colorScheme}`);
        await expect
          .poll(() => page.evaluate("document.documentElement.scrollWidth - innerWidth"), {
            message: `${width} pixels`,
          })
          .toBeLessThanOrEqual(0);
        expect(await findings(), `${width} pixels`).toEqual([]);
      }
    };
    await page.getByRole("row").nth(1).waitFor();
    await look("keys");
    await page.goto(`${bench.url}/keys/new`);
    await page.getByLabel(/^Plans/).waitFor();
    await look("key-new");
    await close();
  },
);
