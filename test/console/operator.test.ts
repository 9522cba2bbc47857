import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OperatorService } from "../../gen/latchkey/v1/operator_service_pb.ts";
import { type ConsoleBench, startConsole, type Visit } from "../harness/console.ts";

/** `root` has the scope by name, and `chief` by the `*` of the operator's own tenant. */
const OPERATORS = { root: ["ops"], chief: ["owner"], clerk: ["viewer"] };
const ROLES = { ops: ["system:*"] };

let bench: ConsoleBench;
let tenant: string;
let keyId: string;
/** Its whole value. */
let secret: string;

beforeAll(async () => {
  bench = await startConsole({ roles: ROLES, operators: OPERATORS });
  tenant = await bench.found("ada", "Analytical Engines");
  await bench.join("vera", "ada", "viewer");
  await bench.join("adam", "ada", "admin");
  await bench.found("eve", "Difference Engines");
  const { result } = await bench.call("ada", "api-keys/create", { name: "Backend", permissions: ["plans:read"] });
  keyId = result.key_id;
  secret = result.key;
});

afterAll(() => bench.close());

async function openOperator(sub: string, settings: Parameters<ConsoleBench["signIn"]>[1] = {}): Promise<Visit> {
  const visit = await bench.signIn(sub, settings);
  await visit.page.goto(`${bench.url}/operator`);
  await visit.page.getByRole("heading", { level: 1 }).waitFor();
  return visit;
}

async function verify(): Promise<number> {
  return (await bench.latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": secret })).status;
}

const rows = (page: Page) => page.locator("tbody tr").allTextContents();
const isWiderThanPage = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
const contentOf = (page: Page) => page.evaluate("document.title + document.querySelector('main').innerHTML");

describe("the operator's console", () => {
  test.each(["root", "chief"])("%s, a user of the operator's tenant with system:*, sees it", async (sub) => {
    const { page, close } = await openOperator(sub);
    await page.getByRole("heading", { name: "Operator" }).waitFor();
    await page.getByRole("tab", { name: "Tenants" }).click();
    await expect.poll(async () => (await rows(page)).join()).toContain("Analytical Engines");
    await close();
  });

  test("finds a key of any tenant, by its id and by its value, of which the secret part stays in the page", async () => {
    const { page, close } = await openOperator("root");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url() + (request.postData() ?? "")));
    for (const text of [keyId, secret, secret.slice(0, 8)]) {
      await page.getByLabel("Key", { exact: true }).fill(text);
      await page.getByRole("button", { name: "Find" }).click();
      await expect.poll(async () => (await rows(page)).join()).toContain(tenant);
      expect((await rows(page)).join()).toContain("Backend");
    }
    expect(sent.join()).toContain(secret.slice(0, 12));
    expect(sent.join()).not.toContain(secret.slice(0, 13));
    expect(page.url()).not.toContain(secret.slice(0, 12));
    await page.getByLabel("Key", { exact: true }).fill("sk_1");
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByText("At least 6 characters").waitFor();
    await page.getByLabel("Key", { exact: true }).fill("key_none");
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByText("No key matches").waitFor();
    await close();
  });

  test("suspends a tenant with a reason and resumes it, with the focus kept", async () => {
    const { page, close, picture } = await openOperator("root");
    await page.getByRole("tab", { name: "Tenants" }).click();
    const actions = page.getByRole("button", { name: "Actions of Analytical Engines" });
    await actions.click();
    await page.getByRole("menuitem", { name: "Suspend" }).click();
    await page.getByLabel("Reason").fill("unpaid");
    await picture("operator-suspend");
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    await page.getByText("Analytical Engines is suspended").waitFor();
    await expect.poll(async () => (await rows(page)).join()).toContain("unpaid");
    expect(await verify()).toBe(401);
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Actions of Analytical Engines");
    await page.getByLabel("Only suspended tenants").check();
    await expect.poll(() => rows(page)).toHaveLength(1);
    await actions.click();
    await page.getByRole("menuitem", { name: "Resume" }).click();
    await page.getByText("Analytical Engines is resumed").waitFor();
    await page.getByText("No tenant", { exact: true }).waitFor();
    expect(await verify()).toBe(200);
    await close();
  });

  test("erases a tenant only after its name was typed", async () => {
    await bench.found("gone", "To be erased");
    const { result } = await bench.call("gone", "api-keys/create", { name: "Last", permissions: ["plans:read"] });
    const { page, close, findings, picture } = await openOperator("root");
    await page.getByRole("tab", { name: "Tenants" }).click();
    await page.getByRole("button", { name: "Actions of To be erased" }).click();
    await page.getByRole("menuitem", { name: "Erase" }).click();
    const erase = page.getByRole("button", { name: "Erase", exact: true });
    await expect.poll(() => erase.isDisabled()).toBe(true);
    await page.getByLabel("Type To be erased").fill("to be erased");
    expect(await erase.isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    expect(await findings()).toEqual([]);
    await picture("operator-erase");
    await page.getByLabel("Type To be erased").fill("To be erased");
    await erase.click();
    await page.getByText(/To be erased is (being )?erased/).waitFor();
    const headers = { "x-api-key": result.key };
    expect((await bench.latchkey.call("/api/v1/auth/verify", {}, headers)).status).toBe(401);
    await close();
  });

  test("has the events of all tenants, or of one", async () => {
    const { page, close } = await openOperator("root");
    await page.getByRole("tab", { name: "Audit" }).click();
    const sentences = async () => (await page.locator(".event > p").allTextContents()).join();
    await expect.poll(sentences).toContain("created the organization Difference Engines");
    await page.getByLabel("Tenant").fill(tenant);
    await expect.poll(sentences).not.toContain("Difference Engines");
    expect(await sentences()).toContain("created the organization Analytical Engines");
    expect(new URL(page.url()).searchParams.get("tenant")).toBe(tenant);
    await page.locator(".event > time").first().click();
    await page.locator("[data-open] dd").getByText(tenant, { exact: true }).first().waitFor();
    await close();
  });

  test.each(["light", "dark"] as const)("has no finding of axe in %s, from 360 px on", async (colorScheme) => {
    const { page, close, findings, picture } = await openOperator("root", { colorScheme });
    await page.getByLabel("Key", { exact: true }).fill(keyId);
    await page.getByRole("button", { name: "Find" }).click();
    await expect.poll(() => rows(page)).toHaveLength(1);
    for (const tab of ["Keys", "Tenants", "Audit"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page
        .locator(tab === "Keys" ? ".operator-search" : "tbody tr, .event")
        .first()
        .waitFor();
      for (const width of [390, 1_440]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await findings()).toEqual([]);
        await expect.poll(() => page.evaluate(isWiderThanPage)).toBe(false);
        await picture(`operator-${tab.toLowerCase()}-${colorScheme}-${width}`);
      }
    }
    await close();
  });
});

describe("anybody else", () => {
  test.each(["ada", "adam", "vera", "clerk"])("sees at its path what an unknown path has: %s", async (sub) => {
    const { page, close } = await openOperator(sub);
    // The title comes after the text.
    const shown = async (): Promise<void> => {
      await page.getByText("This page does not exist, or your role does not include it.").waitFor();
      await expect.poll(() => page.title()).toBe("Nothing here · Latchkey");
    };
    await shown();
    const atOperator = await contentOf(page);
    await page.goto(`${bench.url}/nowhere`);
    await shown();
    expect(await contentOf(page)).toBe(atOperator);
    await close();
  });

  test.each(["ada", "adam", "vera", "clerk"])("is refused by each of its RPCs: %s", async (sub) => {
    const bodies: Readonly<Record<string, object>> = {
      FindKeys: { key_id: keyId },
      SuspendTenant: { tenant_id: tenant },
      ResumeTenant: { tenant_id: tenant },
      EraseTenant: { tenant_id: tenant },
    };
    for (const { name } of OperatorService.methods) {
      const claims = await bench.claimsOf(sub);
      const authorization = `Bearer ${await bench.sign({ sub, ...claims })}`;
      const path = `/latchkey.v1.OperatorService/${name}`;
      const { status, json } = await bench.latchkey.call(path, bodies[name] ?? {}, { authorization });
      expect([status, json.code], name).toEqual([403, "permission_denied"]);
    }
    expect(await verify()).toBe(200);
  });
});

test("with a port of their own, operators have the console only there, without anything of a tenant", async () => {
  const own = await startConsole({ roles: ROLES, operators: OPERATORS, hasAdminPort: true });
  await own.found("ada", "Analytical Engines");
  const open = async (sub: string): Promise<Visit> => {
    const visit = await own.open({}, own.adminUrl);
    await visit.page.getByRole("button", { name: "Sign in" }).click();
    await visit.page.getByLabel("New user").fill(sub);
    await visit.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await visit.page.getByRole("button", { name: `Sign out ${sub}` }).waitFor();
    return visit;
  };
  const root = await open("root");
  await root.page.getByRole("tab", { name: "Tenants" }).click();
  await expect.poll(async () => (await rows(root.page)).join()).toContain("Analytical Engines");
  expect(await root.findings()).toEqual([]);
  await root.picture("operator-admin-port");
  await root.close();
  const ada = await open("ada");
  await ada.page.getByText("This page does not exist, or your role does not include it.").waitFor();
  await ada.close();
  const atMain = await own.signIn("root");
  await atMain.page.goto(`${own.url}/operator`);
  await atMain.page.getByText("This page does not exist, or your role does not include it.").waitFor();
  await atMain.close();
  await own.close();
});
