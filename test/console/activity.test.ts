import { buffer } from "node:stream/consumers";
import { getOption } from "@bufbuild/protobuf";
import { field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ListAuditEventsRequestSchema } from "../../gen/latchkey/v1/audit_service_pb.ts";
import { type ConsoleBench, goTo, startConsole, type Visit } from "../harness/console.ts";
import { eventually } from "../harness/eventually.ts";
import { operatorOf } from "../harness/operator.ts";

const UPDATES = 25;

let bench: ConsoleBench;
let keyId: string;
/** As the page calls keys: by the name of now, where an event does not have the one of then. */
const key = "Backend 2";
const many = "Many";

beforeAll(async () => {
  bench = await startConsole();
  const tenant = await bench.found("ada", "Analytical Engines");
  await bench.join("vera", "ada", "viewer");
  const { call } = bench;
  const created = await call("ada", "api-keys/create", { name: "Backend", permissions: ["plans:read"] });
  keyId = created.result.key_id;
  const changed = {
    name: "Backend 2",
    permissions: ["plans:read", "plans:write"],
    rate_limit: { burst_size: 9 },
    metadata: { team: "a" },
  };
  await call("ada", "api-keys/update", {
    key_id: keyId,
    ...changed,
    update_mask: "name,permissions,rate_limit,metadata",
  });
  await call("ada", "api-keys/disable", { key_id: keyId });
  await call("ada", "api-keys/enable", { key_id: keyId });
  await expect(call("vera", "api-keys/revoke", { key_id: keyId })).rejects.toThrow("403");
  // Refused calls are recorded after their response: their order is otherwise a matter of luck.
  const denied = { action: "access.denied" };
  const untilDenied = (times: number) =>
    eventually(async () => expect((await call("ada", "audit/list", denied)).events).toHaveLength(times));
  await untilDenied(1);
  const withKey = { "x-api-key": created.result.key };
  expect((await bench.latchkey.call("/api/v1/api-keys/revoke", { key_id: keyId }, withKey)).status).toBe(403);
  await untilDenied(2);
  await call("ada", "orgs/update", { name: "Difference Engines" });
  const operator = operatorOf(bench.latchkey);
  await operator.result("tenants/suspend", { tenant_id: tenant, reason: "unpaid" });
  await operator.result("tenants/resume", { tenant_id: tenant });
  const members = (await call("ada", "orgs/members/list")).members;
  const { user_id, issuer } = members.find((member: { role: string }) => member.role === "viewer");
  await call("ada", "orgs/members/set-role", { user_id, issuer, role: "developer" });
  await call("ada", "api-keys/rotate", { key_id: keyId });
  await call("ada", "api-keys/revoke", { key_id: keyId });
  await bench.found("paul", "Many");
  const { result } = await call("paul", "api-keys/create", { name: "Many", permissions: ["plans:read"] });
  for (let n = 1; n <= UPDATES; n++) {
    await call("paul", "api-keys/update", { key_id: result.key_id, description: `${n}`, update_mask: "description" });
  }
});

afterAll(() => bench.close());

async function openActivity(sub: string, settings: Parameters<ConsoleBench["signIn"]>[1] = {}): Promise<Visit> {
  const visit = await bench.signIn(sub, settings);
  await goTo(visit.page, "Activity");
  await visit.page.locator(".event").first().waitFor();
  return visit;
}

const sentences = (page: Page) => page.locator(".event > p").allTextContents();
/** Waits until the list is that of the filters. */
const expectSentences = (page: Page, expected: readonly string[]) =>
  expect.poll(() => sentences(page)).toEqual(expected);

describe("the activity page", () => {
  test("has a sentence for each event, newest first", async () => {
    const { page, close } = await openActivity("ada");
    await expectSentences(page, [
      `You revoked the key ${key}`,
      `You rotated the key ${key}`,
      "You changed the role of vera@example.com from viewer to developer",
      "The operator resumed the organization",
      "The operator suspended the organization",
      "You renamed the organization to Difference Engines",
      `The key ${key} was refused RevokeApiKey (scope missing)`,
      "vera@example.com was refused RevokeApiKey (scope missing)",
      `You enabled the key ${key}`,
      `You disabled the key ${key}`,
      "You changed metadata, name, permissions, and rate limit of the key Backend 2",
      "You created the key Backend",
      "vera@example.com accepted an invitation as viewer",
      "You invited a person as viewer",
      "You created the organization Analytical Engines",
    ]);
    await page.getByRole("link", { name: "Backend 2" }).first().click();
    expect(page.url()).toBe(`${bench.url}/keys/${keyId}`);
    await close();
  });

  test("filters by action, actor, target and day, and keeps that in its address", async () => {
    const { page, close } = await openActivity("ada");
    await page.getByLabel("Action").selectOption("Key disabled");
    await expectSentences(page, [`You disabled the key ${key}`]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("Actor").selectOption("vera@example.com");
    const byVera = [
      "vera@example.com was refused RevokeApiKey (scope missing)",
      "vera@example.com accepted an invitation as viewer",
    ];
    await expectSentences(page, byVera);
    await page.reload();
    await expectSentences(page, byVera);
    await expect.poll(() => page.getByLabel("Actor").inputValue()).toBe("vera");
    await page.getByLabel("Actor").selectOption("The operator");
    await expectSentences(page, ["The operator resumed the organization", "The operator suspended the organization"]);
    // The rotated key and its successor have the same name.
    await page.getByLabel("Actor").selectOption(`Key: ${key} (${keyId.slice(0, 12)}…)`);
    await expectSentences(page, [`The key ${key} was refused RevokeApiKey (scope missing)`]);
    await page.getByLabel("Actor").selectOption("All");
    await page.getByLabel("Target").fill("vera");
    await expectSentences(page, ["You changed the role of vera@example.com from viewer to developer"]);
    await page.getByLabel("Target").fill("");
    // As a caller has it, from the header of the response.
    const { events } = await bench.call("ada", "audit/list", { action: "api_key.enabled" });
    await page.getByLabel("Request").fill(` ${events[0].request_id} `);
    await expectSentences(page, [`You enabled the key ${key}`]);
    await page.reload();
    await expectSentences(page, [`You enabled the key ${key}`]);
    await page.getByLabel("Request").fill("req_none");
    await page.getByText("No event matches").waitFor();
    await page.getByLabel("Request").fill("");
    await expect.poll(() => sentences(page)).toHaveLength(15);
    // The events of this file may be of two days.
    const all = (await bench.call("ada", "audit/list")).events;
    const dayOf = ({ at }: { at: string }) => page.evaluate(`new Date("${at}").toLocaleDateString("sv-SE")`);
    const [first, last] = [String(await dayOf(all.at(-1))), String(await dayOf(all[0]))];
    await page.getByLabel("From").fill(first);
    await page.getByLabel("To, inclusive").fill(last);
    await expect.poll(() => new URL(page.url()).search).toBe(`?from=${first}&to=${last}`);
    await expect.poll(() => sentences(page)).toHaveLength(15);
    await page.getByLabel("From").fill("");
    await page.getByLabel("To, inclusive").fill("2026-01-31");
    await page.getByText("No event matches").waitFor();
    await page.getByLabel("From").fill("2026-02-01");
    await page.getByRole("alert").getByText("from: must be before to").waitFor();
    await close();
  });

  test("offers every action of the API as a filter", async () => {
    const { page, close } = await openActivity("ada");
    const options = await page.evaluate("[...document.querySelector('select').options].map(({ value }) => value)");
    const { type } = getOption(ListAuditEventsRequestSchema.field.action, rulesOption);
    const actions = type.case === "string" ? type.value.in : expect.fail("no closed list");
    expect((options as string[]).toSorted()).toEqual(["", ...actions]);
    await close();
  });

  test("goes to older events and back, with the focus on the list", async () => {
    const { page, close } = await openActivity("paul");
    const updates = (count: number) =>
      Array.from({ length: count }, () => `You changed description of the key ${many}`);
    await expectSentences(page, updates(20));
    await page.getByRole("button", { name: "Older" }).click();
    const oldest = [...updates(UPDATES - 20), "You created the key Many", "You created the organization Many"];
    await expectSentences(page, oldest);
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Events");
    await page.reload();
    await expectSentences(page, oldest);
    await expect.poll(() => page.getByRole("button", { name: "Older" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Newest" }).click();
    await expectSentences(page, updates(20));
    await page.goBack();
    await expectSentences(page, oldest);
    await close();
  });

  test("opens an event and filters by it with only the keyboard", async () => {
    const { page, close } = await openActivity("ada");
    const press = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n++) await page.keyboard.press("Tab");
    };
    await page.getByLabel("To, inclusive").focus();
    const summary = `document.activeElement.closest("li")?.querySelector(".event > p").textContent + document.activeElement.textContent`;
    const wanted = "You changed metadata, name, permissions, and rate limit of the key Backend 2Details";
    for (let n = 0; (await page.evaluate(summary)) !== wanted; n++) {
      if (n === 60) expect.fail("the event is not reached by Tab");
      await press(1);
    }
    await page.keyboard.press("Enter");
    const rows = await page.evaluate(
      `[...document.querySelectorAll("[data-open] tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent))`,
    );
    const limit = (burst_size: number) =>
      JSON.stringify({ burst_size, requests_per_hour: 0, requests_per_minute: 0 }, null, 2);
    expect(rows).toEqual([
      ["metadata", "Changed. The trail does not keep its values."],
      ["name", "Backend", "Backend 2"],
      ["permissions", "plans:read", "plans:read\nplans:write"],
      ["rate_limit", limit(0), limit(9)],
    ]);
    const { events } = await bench.call("ada", "audit/list", { action: "api_key.updated" });
    const { event_id, request_id, address } = events[0];
    // The names of keys are loaded beside the events.
    await expect
      .poll(() => page.locator("[data-open] dd").allTextContents())
      .toEqual(expect.arrayContaining([event_id, request_id, address, `${keyId} (${key})`]));
    const focused = "document.activeElement.textContent";
    for (let n = 0; (await page.evaluate(focused)) !== "Only this target"; n++) {
      if (n === 10) expect.fail("the filter is not reached by Tab");
      await press(1);
    }
    await page.keyboard.press("Enter");
    await expect.poll(() => sentences(page)).toHaveLength(6);
    expect(new URL(page.url()).search).toBe(`?target=${keyId}`);
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Events");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => sentences(page)).toHaveLength(15);
    const enabled = page.locator(".events > li", { hasText: `You enabled the key ${key}` });
    // Anywhere in the row.
    await enabled.locator("time").click();
    await enabled.getByRole("button", { name: "Only this request" }).click();
    await expectSentences(page, [`You enabled the key ${key}`]);
    await close();
  });

  test("leads to the key in the details of an event", async () => {
    const { page, close } = await openActivity("ada");
    await page.locator(".event > time").first().click();
    await page.locator("[data-open] dd").getByRole("link", { name: keyId }).click();
    await page.getByRole("heading", { name: key }).first().waitFor();
    expect(page.url()).toBe(`${bench.url}/keys/${keyId}`);
    await close();
  });

  test("exports what the filters show as CSV, of all pages, in which no cell is a formula", async () => {
    const formula = "=HYPERLINK(1)";
    await bench.found("mallory", formula);
    const { result } = await bench.call("mallory", "api-keys/create", {
      name: '@"quoted"',
      permissions: ["plans:read"],
    });
    await bench.call("mallory", "api-keys/disable", { key_id: result.key_id });
    const exported = async (page: Page): Promise<string> => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export as CSV" }).click();
      expect((await download).suggestedFilename()).toMatch(/^activity-\d{4}-\d\d-\d\d\.csv$/);
      return (await buffer(await (await download).createReadStream())).toString();
    };
    const hostile = await openActivity("mallory");
    await hostile.page.getByRole("link", { name: "quoted" }).first().waitFor();
    const csv = await exported(hostile.page);
    expect(csv.slice(0, 20)).toBe('\uFEFF"Time","Action","Ac');
    expect(csv).toContain(`"'@""quoted"""`);
    expect(csv).not.toMatch(/(^|,)"?[=+\-@]/m);
    await hostile.close();
    const { page, close } = await openActivity("paul");
    expect((await exported(page)).split("\r\n")).toHaveLength(UPDATES + 3);
    await page.getByLabel("Action").selectOption("Key created");
    await expectSentences(page, ["You created the key Many"]);
    const [, row, ...more] = (await exported(page)).split("\r\n");
    expect(more).toEqual([]);
    expect(row).toMatch(/^"[^"]+Z","api_key\.created","dashboard_user","paul","paul@example\.com","key_\w+","Many",/);
    await close();
  });

  test("keeps the events when the next load fails", async () => {
    const { page, close } = await openActivity("paul");
    await page.route("**/latchkey.v1.AuditService/ListAuditEvents", (route) =>
      route.fulfill({ status: 500, json: { code: "internal", message: "The database is away." } }),
    );
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByRole("alert").getByText("The database is away.").waitFor();
    await page.goBack();
    await expect.poll(() => sentences(page)).toHaveLength(20);
    await close();
  });

  test.each(["light", "dark"] as const)("has no finding of axe in %s, from 360 px on", async (colorScheme) => {
    const { page, close, findings, picture } = await openActivity("ada", { colorScheme });
    await page.locator(".event > time").nth(6).click();
    await page.locator(".event > time").nth(10).click();
    for (const width of [360, 390, 1_280, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findings()).toEqual([]);
      const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
      await expect.poll(() => page.evaluate(isWider)).toBe(false);
      await picture(`activity-${colorScheme}-${width}`);
    }
    await close();
  });
});

test("a member without audit:read has no activity page, and the API refuses them", async () => {
  const { page, close } = await bench.signIn("vera");
  await page.getByRole("link", { name: "Usage" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Activity" }).count()).toBe(0);
  await page.goto(`${bench.url}/activity`);
  await page.getByText("your role does not include it").waitFor();
  await expect(bench.call("vera", "audit/list")).rejects.toThrow("403");
  await close();
});
