import { afterAll, beforeAll, expect, test } from "vitest";
import { type ConsoleBench, goTo, startConsole } from "../harness/console.ts";
import { eventually } from "../harness/eventually.ts";

let bench: ConsoleBench;
/** Of the oldest key, which no list of 100 has. */
let oldest: { readonly key: string; readonly key_id: string };

beforeAll(async () => {
  bench = await startConsole();
  const tenant = await bench.found("mara", "Many keys");
  const { clock } = bench.latchkey;
  clock.advance(-60_000);
  oldest = (await bench.call("mara", "api-keys/create", { name: "The oldest", permissions: ["plans:read"] })).result;
  clock.advance(60_000);
  await bench.storeKeys(tenant, 150);
  await bench.latchkey.call("/api/v1/auth/verify", { scope: "plans:write" }, { "x-api-key": oldest.key });
  await eventually(async () => expect((await bench.call("mara", "requests/list")).requests).toHaveLength(1));
});

afterAll(() => bench.close());

test("keys have their names in requests and in activity, and are found by them, however many there are", async () => {
  const { page, findings } = await bench.signIn("mara");
  await goTo(page, "Requests");
  await page.getByRole("link", { name: "The oldest" }).waitFor();
  const key = page.getByLabel("Key", { exact: true });
  await key.fill("The old");
  await expect
    .poll(() => page.evaluate(`[...document.querySelectorAll("datalist option")].map(({ value }) => value)`))
    .toEqual(["The oldest"]);
  expect(await findings()).toEqual([]);
  await key.fill("The oldest");
  await expect.poll(() => new URL(page.url()).searchParams.get("key")).toBe(oldest.key_id);
  await page.reload();
  await expect.poll(() => key.inputValue()).toBe("The oldest");
  await goTo(page, "Activity");
  await page.getByText("created the key The oldest").waitFor();
  await goTo(page, "Workloads");
  await page.getByRole("link", { name: "Add a rule" }).first().click();
  await page.getByLabel("Key", { exact: true }).fill("The oldest");
  // The scopes of the key that was found.
  await page.getByLabel(/^Plans/).waitFor();
  await page.context().close();
});

test("the list of keys makes one call for the uses of all its keys", async () => {
  await bench.found("nora", "Used keys");
  for (let n = 0; n < 8; n++) {
    const values = { name: `used ${n}`, permissions: ["plans:read"] };
    const { key } = (await bench.call("nora", "api-keys/create", values)).result;
    for (const scope of ["plans:read", "plans:write"])
      await bench.latchkey.call("/api/v1/auth/verify", { scope }, { "x-api-key": key });
  }
  const total = async () => (await bench.call("nora", "usage/get")).result.total_verifications;
  await eventually(async () => expect(await total()).toBe(16));
  const { page, close } = await bench.signIn("nora");
  const made: string[] = [];
  page.on("request", (request) => made.push(request.url().slice(request.url().lastIndexOf("/") + 1)));
  await page.reload();
  await expect.poll(() => page.getByRole("img", { name: "2 requests in 7 days, 1 denied" }).count()).toBe(8);
  expect(made.filter((name) => /^ListTopKeys|Usage$/.test(name))).toEqual(["ListTopKeys"]);
  await close();
});
