import { expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

// threat: X6
test("the list has and counts the tenant's own keys only, on every page and for every status", async () => {
  const owner = dashboardOf(latchkey);
  const stranger = dashboardOf(latchkey);
  const owned = await Promise.all(Array.from({ length: 5 }, () => owner.createKey()));
  await owner.result("revoke", { key_id: owned[0]?.key_id });
  const empty = { total: 0, per_page: 2, total_pages: 0 };
  for (const status of ["KEY_STATUS_UNSPECIFIED", "KEY_STATUS_ACTIVE", "KEY_STATUS_REVOKED"]) {
    for (const page of [1, 2, 3]) {
      const { json } = await stranger.call("list", { page, per_page: 2, status });
      expect(json).toEqual({ keys: [], pagination: { ...empty, page }, next_page_token: "" });
    }
  }
  const { key_id } = await stranger.createKey();
  const { keys, pagination } = (await stranger.call("list", { per_page: 100 })).json;
  expect(keys.map((record: JsonObject) => record.key_id)).toEqual([key_id]);
  expect(pagination.total).toBe(1);
});
