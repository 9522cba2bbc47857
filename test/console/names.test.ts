import { afterAll, beforeAll, expect, test } from "vitest";
import { isTypedName } from "../../console/src/ui/typed-name.ts";
import { type ConsoleBench, goTo, startConsole } from "../harness/console.ts";
import { WORKLOAD_KEY } from "../harness/federation.ts";

/** Reads `billing-drowssap` where the marks work. */
const TURNED = "billing-\u202Epassword\u2066";
const SHOWN = "billing-password";

let bench: ConsoleBench;
let keyId: string;

beforeAll(async () => {
  bench = await startConsole();
  const tenant = await bench.found("ada", TURNED);
  const values = { name: TURNED, description: TURNED, permissions: ["plans:read"] };
  const { result } = await bench.call("ada", "api-keys/create", values);
  keyId = result.key_id;
  await bench.call("ada", "api-keys/update", { key_id: keyId, name: `${TURNED}2`, update_mask: "name" });
  await bench.call("ada", "api-keys/update", { key_id: keyId, name: TURNED, update_mask: "name" });
  await bench.call("ada", "webhooks/create", { url: "https://hooks.example.com/", events: ["*"], description: TURNED });
  await bench.call("ada", "federation/rules/create", {
    ...{ name: TURNED, issuer: "https://ci.example.com", audience: tenant, jwks: { keys: [WORKLOAD_KEY.jwk] } },
    ...{ claimRules: [{ claim: "sub", equals: "deployer" }], key_id: keyId, scopes: ["plans:read"] },
  });
  for (const scope of ["plans:read", "plans:write"])
    await bench.latchkey.call("/api/v1/auth/verify", { scope }, { "x-api-key": result.key });
});

afterAll(() => bench.close());

/** Texts, titles and values of a page with a mark that turns the direction. */
const TURNING = `(() => {
  const texts = [document.title, document.body.innerText];
  for (const element of document.querySelectorAll("*")) {
    for (const { value } of element.attributes) texts.push(value);
    if ("value" in element) texts.push(String(element.value));
  }
  return texts.filter((text) => /[\\u202A-\\u202E\\u2066-\\u2069]/.test(text));
})()`;

// threat: Q16
test("no page shows a mark of a name that turns the direction of text", async () => {
  const { page, close } = await bench.signIn("ada");
  await page.getByRole("link", { name: SHOWN, exact: true }).waitFor();
  const names = await page.getByRole("navigation", { name: "Console" }).getByRole("link").allTextContents();
  for (const name of names) {
    await goTo(page, name);
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
    expect(await page.evaluate(TURNING), name).toEqual([]);
  }
  for (const path of [`/keys/${keyId}`, `/keys/${keyId}/edit`, `/keys/new?like=${keyId}`]) {
    await page.goto(bench.url + path);
    await page.getByText(SHOWN).first().waitFor();
    expect(await page.evaluate(TURNING), path).toEqual([]);
  }
  await close();
});

test("a key is revoked by its name as it is shown", async () => {
  const { page, close } = await bench.signIn("ada");
  await page.goto(`${bench.url}/keys/${keyId}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByLabel(/Type the key's name/).fill(SHOWN);
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("Revoked", { exact: true }).first().waitFor();
  await close();
});

test.each([
  ["a\u200Bb", "ab", true],
  ["a\u200E", "a", true],
  ["cafe\u0301", "caf\u00E9", true],
  ["two  spaces ", "two spaces", true],
  ["worker", "work", false],
])("a name %j is typed as %j: %s", (name, typed, isTyped) => {
  expect(isTypedName(typed, name)).toBe(isTyped);
});
