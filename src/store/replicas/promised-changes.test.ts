// promise: keys.failover
import { describe, expect, test } from "vitest";
import { newKey } from "../../../test/store/records.ts";
import { rightsOf } from "../../domain/keys/key-fields.ts";
import type { PromisedState } from "../../domain/lost-changes/promised-state.ts";
import { type PromisedChange, PromisedChanges } from "./promised-changes.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

const change = (changeId: string, madeMs: number, state: PromisedState | null = null): PromisedChange => ({
  changeId,
  madeMs,
  promise: state && { subject: `of ${changeId}`, state, requestId: `req ${changeId}` },
});

const { record } = newKey();
const ofKey = (disabledAt: Date | null, revokedAt: Date | null = null): PromisedState => ({
  kind: "key",
  tenantId: record.tenantId,
  keyId: record.keyId,
  rights: rightsOf({ ...record, disabledAt, revokedAt }),
});

function remembering(...changes: readonly PromisedChange[]): PromisedChanges {
  const promised = new PromisedChanges();
  promised.add(changes, NOW);
  return promised;
}

const all = (promised: PromisedChanges) => new Set(promised.ids);

describe("what a server lacks", () => {
  test("is one change for each target, with the ids of all and the state that the latest left", () => {
    const disabled = ofKey(new Date(NOW - 3));
    const enabled = ofKey(null);
    const suspended: PromisedState = { kind: "tenant", tenantId: "ten_1", isSuspended: true };
    // Looks show them in any order.
    const promised = remembering(
      change("c", NOW - 1, enabled),
      change("a", NOW - 3, disabled),
      change("b", NOW - 2, suspended),
    );
    expect(promised.lost(all(promised), NOW)).toEqual([
      {
        changeIds: ["a", "c"],
        requestIds: ["req a", "req c"],
        madeMs: NOW - 1,
        promise: change("c", 0, enabled).promise,
      },
      { changeIds: ["b"], requestIds: ["req b"], madeMs: NOW - 2, promise: change("b", 0, suspended).promise },
    ]);
  });

  test("has only what is missing, also where a later change is there", () => {
    const promised = remembering(change("a", NOW - 2, ofKey(new Date())), change("b", NOW - 1));
    expect(promised.lost(new Set(["a"]), NOW)?.flatMap(({ changeIds }) => changeIds)).toEqual(["a"]);
    expect(promised.lost(new Set(), NOW)).toEqual([]);
  });

  test("has the ids of changes that cannot be made again", () => {
    const promised = remembering(change("a", NOW - 2), change("b", NOW - 1));
    expect(promised.lost(all(promised), NOW)).toEqual([
      { changeIds: ["a", "b"], requestIds: [], madeMs: NOW - 1, promise: null },
    ]);
  });

  test("is not known if it lacks a change that is older than 15 minutes", () => {
    const promised = remembering(change("old", NOW - 15 * MINUTE - 1), change("new", NOW));
    expect(promised.lost(all(promised), NOW)).toBeUndefined();
    expect(promised.lost(new Set(["new"]), NOW)).toHaveLength(1);
  });
});

describe("what is remembered", () => {
  test("is each change once, however often it is seen", () => {
    const promised = remembering(change("a", NOW), change("a", NOW));
    promised.add([change("a", NOW)], NOW);
    expect(promised.ids).toEqual(["a"]);
  });

  test("is dropped after 16 minutes, except the newest: a server that lacks that one lacks more", () => {
    const promised = remembering(change("a", NOW), change("b", NOW + 1), change("c", NOW + MINUTE));
    promised.add([change("d", NOW + 17 * MINUTE)], NOW + 16 * MINUTE + 10);
    expect(promised.ids).toEqual(["b", "c", "d"]);
    expect(promised.lost(new Set(["d"]), NOW + 17 * MINUTE)).toHaveLength(1);
    expect(promised.lost(new Set(["b", "c", "d"]), NOW + 17 * MINUTE)).toBeUndefined();
  });

  test("is bounded: of more than 20,000 changes the oldest are dropped, and a server that lacks all of the rest is not believed", () => {
    const changes = Array.from({ length: 20_010 }, (_, n) => change(String(n), NOW - 20_010 + n));
    const promised = remembering(...changes);
    expect(promised.ids).toHaveLength(20_000);
    expect(promised.lost(all(promised), NOW)).toBeUndefined();
    expect(promised.lost(new Set(promised.ids.slice(1)), NOW)).toHaveLength(1);
  });
});
