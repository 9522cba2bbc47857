// promise: lists.pages, lists.stable, callers.tenant
import { beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { type Dashboard, dashboardOf, instant } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();

async function createKeys(dashboard: Dashboard, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await dashboard.createKey({ name: `key ${i}` })).key_id);
  return ids;
}

async function list(dashboard: Dashboard, body: object = {}): Promise<JsonObject> {
  const answer = await dashboard.call("list", body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

const idsOf = (page: JsonObject): string[] => page.keys.map(({ key_id }: JsonObject) => key_id);

describe("pages", () => {
  const many = dashboardOf(latchkey);
  let manyIds: readonly string[];
  beforeAll(async () => {
    manyIds = await createKeys(many, 101);
  });

  // threat: B4
  test("a tenant without keys has an empty list, with every zero printed", async () => {
    const answer = await dashboardOf(latchkey).call("list", {});
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      keys: [],
      pagination: { total: 0, page: 1, per_page: 20, total_pages: 0 },
      next_page_token: "",
    });
  });

  // threat: B1
  test.each([{}, { page: 0, per_page: 0 }, { page: null, per_page: null }, { page: 1, per_page: 20 }])(
    "%j is the first page of 20",
    async (body) => {
      const page = await list(many, body);
      expect(page.pagination).toEqual({ total: 101, page: 1, per_page: 20, total_pages: 6 });
      expect(idsOf(page)).toEqual(manyIds.toReversed().slice(0, 20));
    },
  );

  // threat: B2
  test("above 100 per_page is 100, and the answer says so", async () => {
    for (const per_page of [101, 2_147_483_647]) {
      const page = await list(many, { per_page });
      expect(page.keys).toHaveLength(100);
      expect(page.pagination).toEqual({ total: 101, page: 1, per_page: 100, total_pages: 2 });
    }
    expect((await list(many, { page: 2, per_page: 100 })).keys).toHaveLength(1);
  });

  // threat: B1
  test("a page past the end is empty and has the right total", async () => {
    const dashboard = dashboardOf(latchkey);
    await createKeys(dashboard, 3);
    for (const page of [3, 1_000, 2_147_483_647]) {
      const answer = await list(dashboard, { page, per_page: 2 });
      expect(answer).toEqual({
        keys: [],
        pagination: { total: 3, page, per_page: 2, total_pages: 2 },
        next_page_token: "",
      });
    }
    expect((await list(dashboard, { page: 2_147_483_647, per_page: 100 })).keys).toEqual([]);
  });

  test("the pages together hold every key once, newest first", async () => {
    const dashboard = dashboardOf(latchkey);
    const ids = await createKeys(dashboard, 7);
    const pages = await Promise.all([1, 2, 3].map((page) => list(dashboard, { page, per_page: 3 })));
    expect(pages.map(idsOf).map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(pages.flatMap(idsOf)).toEqual(ids.toReversed());
  });

  test("a number may come as a decimal string", async () => {
    const dashboard = dashboardOf(latchkey);
    expect((await list(dashboard, { page: "2", per_page: "5" })).pagination).toMatchObject({ page: 2, per_page: 5 });
  });
});

describe("order", () => {
  test("keys created at the same instant keep their order between calls", async () => {
    const dashboard = dashboardOf(latchkey);
    await Promise.all(Array.from({ length: 40 }, () => dashboard.createKey()));
    const whole = idsOf(await list(dashboard, { per_page: 100 }));
    expect(new Set(whole).size).toBe(40);
    for (const per_page of [1, 7]) {
      // One after the other: a tenant's lists wait for each other, and for 3 s at most.
      const walked: string[] = [];
      for (let page = 1; page <= Math.ceil(40 / per_page); page++)
        walked.push(...idsOf(await list(dashboard, { page, per_page })));
      expect(walked).toEqual(whole);
    }
  });

  // threat: B3
  test("paging while keys are created misses no older key and keeps their order", async () => {
    const dashboard = dashboardOf(latchkey);
    const old = (await createKeys(dashboard, 30)).toReversed();
    const seen: string[] = [];
    for (let page = 1; ; page++) {
      const answer = await list(dashboard, { page, per_page: 4 });
      if (answer.keys.length === 0) break;
      seen.push(...idsOf(answer).filter((id) => old.includes(id)));
      if (page <= 5) await Promise.all([dashboard.createKey(), dashboard.createKey()]);
    }
    expect([...new Set(seen)]).toEqual(old);
  });

  test("changing a key does not move it", async () => {
    const dashboard = dashboardOf(latchkey);
    const ids = await createKeys(dashboard, 3);
    await dashboard.result("update", { key_id: ids[0], description: "changed", update_mask: "description" });
    await dashboard.result("disable", { key_id: ids[1] });
    expect(idsOf(await list(dashboard))).toEqual(ids.toReversed());
  });
});

describe("status", () => {
  test("keys of all statuses are listed, or those of the given status with their own total", async () => {
    const dashboard = dashboardOf(latchkey);
    const expired = await dashboard.createKey({ expires_at: instant(latchkey, HOUR) });
    const [active, disabled, revoked] = await createKeys(dashboard, 3);
    const all = [revoked, disabled, active, expired.key_id];
    await dashboard.result("disable", { key_id: disabled });
    await dashboard.result("disable", { key_id: revoked });
    await dashboard.result("revoke", { key_id: revoked });
    latchkey.clock.advance(HOUR);

    const listed = await list(dashboard, {});
    expect(idsOf(listed)).toEqual(all);
    expect(listed.keys.map(({ status }: JsonObject) => status)).toEqual([
      "KEY_STATUS_REVOKED",
      "KEY_STATUS_DISABLED",
      "KEY_STATUS_ACTIVE",
      "KEY_STATUS_EXPIRED",
    ]);
    expect(idsOf(await list(dashboard, { status: "KEY_STATUS_UNSPECIFIED" }))).toEqual(all);
    for (const [status, id] of [
      ["KEY_STATUS_ACTIVE", active],
      ["KEY_STATUS_EXPIRED", expired.key_id],
      ["KEY_STATUS_DISABLED", disabled],
      ["KEY_STATUS_REVOKED", revoked],
    ]) {
      const page = await list(dashboard, { status });
      expect(idsOf(page)).toEqual([id]);
      expect(page.pagination).toEqual({ total: 1, page: 1, per_page: 20, total_pages: 1 });
    }
  });
});
