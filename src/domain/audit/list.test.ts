// promise: audit.pages
import { describe, expect, test } from "vitest";
import type { AuditFilter, AuditPage } from "./audit-trail.ts";
import { listEvents } from "./list.ts";

const ALL: AuditFilter = { from: null, to: null, actorId: "", action: "", targetId: "", requestId: "" };
const EMPTY: AuditPage = { events: [], next: undefined };

/** Lists with a store that returns `page`, and returns what the store was asked for. */
async function listing(pageToken: string, perPage = 0, page = EMPTY, filter = ALL) {
  const asked: unknown[] = [];
  const ctx = {
    audit: {
      listEvents: async (...args: unknown[]) => {
        asked.push(args);
        return page;
      },
    },
    refusals: { settled: async () => void asked.push("settled") },
  };
  return { listed: await listEvents(ctx, "ten_1", filter, { pageToken, perPage }), asked };
}

describe("a page of events", () => {
  test("has 20 events unless the caller names a number, and at most 100", async () => {
    for (const [perPage, expected] of [
      [0, 20],
      [7, 7],
      [1_000, 100],
    ] as const) {
      const { asked } = await listing("", perPage);
      expect(asked).toEqual(["settled", ["ten_1", ALL, { after: undefined, perPage: expected, byOperator: false }]]);
    }
  });

  test("names the next one by a token, which leads to its place", async () => {
    const next = { atMs: 1_764_000_000_123, seq: 987_654_321 };
    const { listed } = await listing("", 1, { events: [], next });
    const { asked } = await listing(listed.nextPageToken, 1);
    expect(asked[1]).toEqual(["ten_1", ALL, { after: next, perPage: 1, byOperator: false }]);
  });

  test("is the last one without a token", async () => {
    expect((await listing("")).listed.nextPageToken).toBe("");
  });

  test.each(["x", "1.2", Buffer.from("1.").toString("base64url"), Buffer.from("1.2.3").toString("base64url")])(
    "rejects the token %j",
    async (token) => {
      await expect(listing(token)).rejects.toThrow("page_token: is not a token of this list");
    },
  );

  test("of a time that ends before it begins is a fault", async () => {
    const at = new Date("2026-03-01T12:00:00Z");
    await expect(listing("", 0, EMPTY, { ...ALL, from: at, to: at })).rejects.toThrow("from: must be before to");
  });
});
