import { expect, test } from "vitest";
import { type RecentEvent, RecentEvents } from "./recent-events.ts";

const event = (eventId: string, requestId = `req ${eventId}`): RecentEvent => ({
  ...{ eventId, atMs: 0, tenantId: "ten_1", action: "api_key.created", targetId: "key_1", requestId },
});

test("the events that a server lacks are lost, except those whose change was made again", () => {
  const events = new RecentEvents();
  events.add([event("a"), event("b"), event("c", "again")], 0);
  events.add([event("a")], 0);
  expect(events.ids).toEqual(["a", "b", "c"]);
  expect(events.lost(new Set(["b", "c"]), new Set(["again"]))).toEqual([event("b")]);
});

test("of more than 10,000 events the oldest are forgotten, and so are those from 15 minutes ago", () => {
  const events = new RecentEvents();
  const seen = Array.from({ length: 10_001 }, (_, n) => event(String(n)));
  events.add(seen, 15 * 60_000);
  expect(events.ids).toHaveLength(10_000);
  expect(events.ids[0]).toBe("1");
  events.add([], 15 * 60_000 + 1);
  expect(events.ids).toEqual([]);
});
