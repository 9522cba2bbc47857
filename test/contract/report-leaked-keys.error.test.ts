// promise: leaks.places
import { afterAll, describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { newAddress, REPORT_LEAK, report, startWithAddresses } from "../harness/leaks.ts";

const latchkey = await startWithAddresses();
afterAll(() => latchkey.close());

const send = (body: unknown) => latchkey.call(REPORT_LEAK, body, { "x-forwarded-for": newAddress() });

describe("a report is 400", () => {
  test.each([
    ["without reports", {}, "reports"],
    ["with an empty list", { reports: [] }, "reports"],
    ["of more than a hundred keys", { reports: Array.from({ length: 101 }, () => ({ key: "sk_x" })) }, "reports"],
    ["without a key", { reports: [{ url: "https://example.com/" }] }, "reports[0].key"],
    ["of a key of 513 characters", { reports: [{ key: "k".repeat(513) }] }, "reports[0].key"],
    [
      "with a URL of 2,049 characters",
      { reports: [{ key: "k", url: "https://e.com/".padEnd(2_049, "x") }] },
      "reports[0].url",
    ],
    ["with a source of 65 characters", { reports: [{ key: "k", source: "s".repeat(65) }] }, "reports[0].source"],
    ["with an unknown member", { reports: [{ key: "k", token: "k" }] }, "reports[0].token"],
  ])("%s", async (_what, body, field) => expectInvalid(await send(body), field));

  test.each([
    "javascript:alert(1)",
    "ftp://example.com/",
    "example.com",
    "https://",
    "https://ex ample.com/",
    "https://a/\u00e9",
    "data:text/html,x",
  ])("with the URL %j, which is not of the web", async (url) => {
    const body = { reports: [{ key: "k" }, { key: "k", url }] };
    expectInvalid(await send(body), "reports[1].url", "must be an http or https URL");
  });

  test("with a URL that has a password, which is not repeated", async () => {
    const answer = await send({ reports: [{ key: "k", url: "https://user:hunter2@example.com/" }] });
    expectInvalid(answer, "reports[0].url", "must have no user name and no password");
    expect(answer.text).not.toContain("hunter2");
  });

  test("and then no key of the list is disabled", async () => {
    const { key } = await dashboardOf(latchkey).createKey();
    expect((await report(latchkey, [{ key }, { key: "x", url: "nowhere" }])).status).toBe(400);
    expect(await useKey(latchkey, key)).toBe("admitted");
  });
});
