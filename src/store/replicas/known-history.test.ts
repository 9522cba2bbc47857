import { expect, test } from "vitest";
import { type History, KnownHistory } from "./known-history.ts";

const server = (fields: Partial<History> = {}): History => ({
  ...{ hasNewest: true, newest: null, system: "1", timeline: 1 },
  ...fields,
});

test("the newest change of each look is asked of the next server", () => {
  const history = new KnownHistory();
  expect(history.newest).toBeNull();
  expect(history.follow(server({ newest: "a" }), null)).toBeUndefined();
  expect(history.newest).toBe("a");
});

test("a change of this process that was made while a look was under way is newer than what the look shows", () => {
  const history = new KnownHistory();
  history.made("b");
  expect(history.follow(server({ newest: "a" }), null)).toBeUndefined();
  expect(history.newest).toBe("b");
});

test("a server that lacks the change is refused and changes nothing", () => {
  const history = new KnownHistory();
  history.made("b");
  expect(history.follow(server({ hasNewest: false, newest: "a", timeline: 9 }), "b")).toMatch("lacks a change");
  expect([history.asked, history.refused]).toEqual(["b", 1]);
  expect(history.follow(server({ newest: "b" }), "b")).toBeUndefined();
  expect(history.newest).toBe("b");
});

test("an older timeline of the same cluster is refused, and none of another cluster or of a server that shows none", () => {
  const history = new KnownHistory();
  expect(history.follow(server({ timeline: 2 }), null)).toBeUndefined();
  expect(history.follow(server({ timeline: 1 }), null)).toMatch("was replaced");
  for (const other of [{ timeline: 2 }, { timeline: 3 }, { system: "2" }, { system: null, timeline: null }])
    expect(history.follow(server(other), null)).toBeUndefined();
});

test("the timeline is that of the last server that was not refused", () => {
  const history = new KnownHistory();
  expect(history.timeline).toBeNull();
  for (const [timeline, shown] of [
    [2, 2],
    [1, 2],
    [3, 3],
    [null, null],
  ]) {
    history.follow(server({ timeline: timeline ?? null }), null);
    expect(history.timeline).toBe(shown);
  }
});

// threat: Q12
test("after a look that was refused, no server has what reads and changes ask for, until a look is followed", () => {
  const history = new KnownHistory();
  history.follow(server({ newest: "a", timeline: 2 }), null);
  // The old primary has the newest change, too: only its timeline tells.
  history.follow(server({ newest: "a" }), "a");
  expect(history.newest).not.toBe("a");
  expect(history.asked).toBe("a");
  history.follow(server({ newest: "a", timeline: 2 }), "a");
  expect(history.newest).toBe("a");
});

test("a server with an older timeline than another process has followed is refused, unless this one followed a newer one", () => {
  const position = (timeline: number, system = "1") => ({ system, newest: null, timeline });
  const history = new KnownHistory();
  expect(history.follow(server({}), null, position(2))).toMatch("was replaced");
  expect(history.follow(server({}), null, position(2, "2"))).toBeUndefined();
  expect(history.unlessOlder(position(1))).toEqual(position(1));
  expect(history.follow(server({ timeline: 3 }), null)).toBeUndefined();
  expect(history.unlessOlder(position(2))).toBeUndefined();
  expect(history.unlessOlder(position(2, "2"))).toEqual(position(2, "2"));
});
