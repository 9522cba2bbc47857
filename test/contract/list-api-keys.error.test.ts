// promise: lists.pages
import { describe, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

describe.each(["page", "per_page"])("%s", (member) => {
  // threat: B1, B2
  test.each([-1, -2_147_483_648, 1.5, 2_147_483_648, 1e300, "x", "0x10", "1.5", "", true, [], {}])(
    "%j is 400 and names the member",
    async (value) => {
      expectInvalid(await dashboardOf(latchkey).call("list", { [member]: value }), member);
    },
  );
});

describe("status", () => {
  test.each(["ACTIVE", "active", "KEY_STATUS_OTHER", "", 5, -1, true, ["KEY_STATUS_ACTIVE"], {}])(
    "rejects %j as a status",
    async (status) => {
      expectInvalid(await dashboardOf(latchkey).call("list", { status }), "status", "KEY_STATUS_ACTIVE");
    },
  );
});

describe("unknown members", () => {
  test.each([
    ["perpage", "per_page"],
    ["pages", "page"],
    ["statuses", "status"],
  ])("%s is 400, and the message suggests %s", async (member, offered) => {
    expectInvalid(await dashboardOf(latchkey).call("list", { [member]: 1 }), member, `"${offered}"`);
  });

  test("a tenant cannot be chosen", async () => {
    expectInvalid(await dashboardOf(latchkey).call("list", { tenant_id: "ten_x" }), "tenant_id");
  });
});
