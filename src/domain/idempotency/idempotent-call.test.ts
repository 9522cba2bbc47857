// promise: repeat.compared
import { describe, expect, test } from "vitest";
import { ACT } from "../../../test/harness/act.ts";
import { exactJson, idempotentCall } from "./idempotent-call.ts";

const hashOf = (content: Record<string, unknown>) => idempotentCall("id", "ten_1", ACT, "make", content)?.contentHash;

describe("two calls mean the same", () => {
  test.each<[why: string, one: Record<string, unknown>, other: Record<string, unknown>]>([
    ["with members in another order", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ["with a list in another order, and duplicates", { a: ["x", "y"] }, { a: ["y", "x", "y"] }],
    ["with objects of a list in another order", { a: [{ b: 1, c: 2 }, { b: 3 }] }, { a: [{ b: 3 }, { c: 2, b: 1 }] }],
    ["without members that say nothing", {}, { a: null, b: "", c: [], d: false, e: 0, f: undefined, g: { h: {} } }],
    ["with one instant", { a: new Date("2030-01-01T00:00:00Z") }, { a: new Date("2030-01-01T02:00:00+02:00") }],
    [
      "with free JSON in another order",
      { a: exactJson({ b: { c: 1, d: 2 } }) },
      { a: exactJson({ b: { d: 2, c: 1 } }) },
    ],
  ])("%s", (_, one, other) => {
    expect(hashOf(other)).toBe(hashOf(one));
  });
});

describe("two calls mean something else", () => {
  test.each<[why: string, one: Record<string, unknown>, other: Record<string, unknown>]>([
    ["with another value", { a: 1 }, { a: 2 }],
    ["with a value elsewhere", { a: { b: 1 } }, { b: 1 }],
    ["with a text for a number", { a: 1 }, { a: "1" }],
    ["with a list for its text", { a: ["x"] }, { a: '["x"]' }],
    ["with values of an object in other places", { a: { b: 1, c: 2 } }, { a: { b: 2, c: 1 } }],
    ["with nothing in free JSON where there was something", { a: exactJson({ b: 0 }) }, { a: exactJson({}) }],
    ["with a list of free JSON in another order", { a: exactJson([1, 2]) }, { a: exactJson([2, 1]) }],
  ])("%s", (_, one, other) => {
    expect(hashOf(other)).not.toBe(hashOf(one));
  });

  test("with another RPC, and are other calls for another tenant, caller and id", () => {
    expect(idempotentCall("id", "ten_1", ACT, "other", {})?.contentHash).not.toBe(hashOf({}));
    const others = [
      idempotentCall("id", "ten_1", ACT, "make", {}),
      idempotentCall("id", "ten_2", ACT, "make", {}),
      idempotentCall("id2", "ten_1", ACT, "make", {}),
      idempotentCall("id", "ten_1", { actor: { ...ACT.actor, userId: "another" } }, "make", {}),
      idempotentCall("id", "ten_1", { actor: { ...ACT.actor, issuer: "https://another" } }, "make", {}),
    ];
    expect(new Set(others.map((call) => call?.callHash)).size).toBe(others.length);
  });
});

test("a call without an id cannot be repeated", () => {
  expect(idempotentCall("", "ten_1", ACT, "make", {})).toBeUndefined();
});
