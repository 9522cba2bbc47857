import { beforeEach, describe, expect, test } from "vitest";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { History } from "./known-history.ts";
import { type KeptText, shareHistory } from "./shared-history.ts";

const HOUR_MS = 3_600_000;
const [A, B] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];

/** What all processes keep, with how often it was replaced. */
class Kept implements KeptText {
  text: string | null = null;
  isAway = false;
  replaced = 0;
  async read() {
    if (this.isAway) throw new StoreUnavailable("away");
    return this.text;
  }
  async replace(before: string | null, after: string) {
    if (this.isAway) throw new StoreUnavailable("away");
    this.replaced += 1;
    if (this.text === before || Number.parseInt(this.text ?? "-1", 10) < Number.parseInt(after, 10)) this.text = after;
  }
}

let kept: Kept;
let nowMs: number;
beforeEach(() => {
  kept = new Kept();
  nowMs = 0;
});

const open = () => shareHistory(kept, "1", { monotonicMs: () => nowMs });
const look = (newest: string | null, fields: Partial<History> = {}): History => ({
  ...{ hasNewest: true, newest, system: "1", timeline: 2 },
  ...fields,
});

/** One look after the other, each of which shows the same. */
async function follow(shared: ReturnType<typeof open>, history: History, looks = 1): Promise<void> {
  for (let n = 0; n < looks; n++) {
    await shared.newest();
    shared.followed(history);
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a process without memory learns what another one has followed, before its first look", async () => {
  expect(await open().newest()).toBeUndefined();
  await follow(open(), look(A));
  expect(await open().newest()).toEqual({ system: "1", newest: A, timeline: 2 });
  await follow(open(), look(null, { timeline: 3 }));
  expect(await open().newest()).toEqual({ system: "1", newest: null, timeline: 3 });
});

test("is written for news only, and once an hour so that it does not expire", async () => {
  const shared = open();
  await follow(shared, look(A), 9);
  await follow(shared, look(B), 9);
  const { replaced } = kept;
  // A reading that was under way shows the former text once more.
  expect(replaced).toBeLessThanOrEqual(4);
  nowMs += HOUR_MS;
  await follow(shared, look(B), 9);
  expect(kept.replaced).toBe(replaced + 1);
});

test("what another process has written since is not replaced", async () => {
  const [one, other] = [open(), open()];
  await follow(one, look(A));
  await one.newest();
  await other.newest();
  await follow(other, look(B), 2);
  one.followed(look(null));
  await settled();
  expect(kept.text).toContain(B);
});

describe("is left as it is by looks", () => {
  test.each([
    ["at another cluster", { system: "2" }],
    ["at a server that does not show its timeline", { timeline: null }],
  ])("%s", async (_, fields) => {
    await follow(open(), look(A, fields));
    expect(kept.text).toBeNull();
  });
});

test("while it cannot be reached, nothing is known and nothing is written, and no look waits", async () => {
  await follow(open(), look(A));
  const shared = open();
  kept.isAway = true;
  expect(await shared.newest()).toBeUndefined();
  await follow(shared, look(B), 2);
  kept.isAway = false;
  await follow(shared, look(B), 3);
  expect(await shared.newest()).toMatchObject({ newest: B });
  kept.read = () => new Promise(() => {});
  expect(await shared.newest()).toMatchObject({ newest: B });
});

test.each(["", "2", `2 ${A.slice(1)}`, `-1 ${A}`, `99999999999 ${A}`, `2 ${A} x`, "2 '; drop table"])(
  "%j, which no process writes, is as if there were nothing",
  async (text) => {
    kept.text = text;
    expect(await open().newest()).toBeUndefined();
  },
);

test("a newer timeline replaces whatever there is, and an older one nothing that it has not read", async () => {
  const [stuck, other] = [open(), open()];
  await follow(stuck, look(A, { timeline: 1 }));
  kept.text = `1 ${B}`;
  await follow(other, look(null, { timeline: 2 }));
  stuck.followed(look(B, { timeline: 1 }));
  await settled();
  expect(kept.text).toBe("2 ");
});

test("a process that was stopped reads again before it looks", async () => {
  const [stopped, other] = [open(), open()];
  await follow(stopped, look(A), 2);
  nowMs += 10_000;
  await follow(other, look(B), 2);
  expect(await stopped.newest()).toMatchObject({ newest: B });
});
