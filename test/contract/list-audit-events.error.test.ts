// promise: audit.actions
import { describe, expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();

describe.each([
  ["/api/v1/audit/list", () => latchkey.dashboard()],
  ["/api/v1/operator/audit/list", async () => OPERATOR],
])("%s", (path, caller) => {
  const list = async (body: object) => latchkey.call(path, body, await caller());

  test.each([-1, 1.5, "x", true, {}])("the per_page %j is 400 and names the member", async (per_page) => {
    expectInvalid(await list({ per_page }), "per_page");
  });

  test.each(["x", "2026-13-01T00:00:00Z", 5, {}])("the time %j is 400 and names the member", async (value) => {
    for (const member of ["from", "to"]) expectInvalid(await list({ [member]: value }), member);
  });

  test("a time that ends before it begins is 400", async () => {
    expectInvalid(await list({ from: "2026-03-02T00:00:00Z", to: "2026-03-01T00:00:00Z" }), "from");
  });

  test.each(["api_key.revok", "API_KEY.REVOKED", "x"])(
    "the action %j is 400, and the message has those there are",
    async (action) => {
      expectInvalid(await list({ action }), "action", "api_key.revoked");
    },
  );

  test.each(["x", "9".repeat(257), Buffer.from("1").toString("base64url")])(
    "the page_token %.8j is 400",
    async (page_token) => {
      expectInvalid(await list({ page_token }), "page_token");
    },
  );

  test.each(["actor_id", "target_id"])("%s of more than 256 characters is 400", async (member) => {
    expectInvalid(await list({ [member]: "x".repeat(257) }), member);
  });

  test("an unknown member is 400, and the message suggests the right one", async () => {
    expectInvalid(await list({ actorid: "x" }), "actorid", '"actor_id"');
  });
});

test("an event that does not exist is not an error", async () => {
  const { status, json } = await latchkey.call("/api/v1/audit/list", { target_id: "none" }, await latchkey.dashboard());
  expect([status, json]).toEqual([200, { events: [], next_page_token: "" }]);
});
