import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { newTenant, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();
const LIST = "/api/v1/requests/list";

describe("a request for the list is 400, which names the member,", () => {
  const list = async (body: object) => latchkey.call(LIST, body, await latchkey.dashboard());

  test.each([-1, 1.5, "x", true, {}])("with the per_page %j", async (per_page) => {
    expectInvalid(await list({ per_page }), "per_page");
  });

  test.each(["x", "2026-13-01T00:00:00Z", 5, {}])("with the time %j", async (value) => {
    for (const member of ["from", "to"]) expectInvalid(await list({ [member]: value }), member);
  });

  test("with a time that ends before it begins", async () => {
    expectInvalid(await list({ from: "2026-03-02T00:00:00Z", to: "2026-03-01T00:00:00Z" }), "from");
  });

  test.each(["ok", "DENIED", "x"])("with the verdict %j", async (verdict) => {
    expectInvalid(await list({ verdict }), "verdict", "denied");
  });

  test.each(["x", Buffer.from("1").toString("base64url")])("with the page_token %j", async (page_token) => {
    expectInvalid(await list({ page_token }), "page_token");
  });

  test.each(["key_id", "request_id"])("with %s of more than 256 characters", async (member) => {
    expectInvalid(await list({ [member]: "x".repeat(257) }), member);
  });

  test("with an unknown member, and suggests the right one", async () => {
    expectInvalid(await list({ keyid: "x" }), "keyid", '"key_id"');
  });
});

test("requests that do not exist are not an error", async () => {
  const { status, json } = await latchkey.call(
    LIST,
    { reason: "none", key_id: "key_x" },
    await latchkey.dashboard(newTenant()),
  );
  expect([status, json]).toEqual([200, { requests: [], next_page_token: "" }]);
});

test("where REQUEST_LOG_DAYS is 0 all three RPCs say so, and nothing is kept", async () => {
  const off = await startLatchkey({ config: { requestLogDays: 0 } });
  try {
    const dashboard = await off.dashboard();
    const { headers } = await off.call(LIST, {}, { "x-api-key": "sk_unknown" });
    const request_id = headers.get("x-request-id");
    for (const [path, body, caller] of [
      [LIST, {}, dashboard],
      ["/api/v1/requests/explain", { request_id }, dashboard],
      ["/api/v1/operator/requests/explain", { request_id }, OPERATOR],
    ] as const) {
      const { status, json } = await off.call(path, body, caller);
      expect([status, json.code, json.reason]).toEqual([400, "failed_precondition", "requests_not_kept"]);
      expect(json.message).toContain("REQUEST_LOG_DAYS");
    }
  } finally {
    await off.close();
  }
});
