// promise: lists.pages
import { expect, test } from "vitest";
import { RequestFault } from "../vocabulary/request-fault.ts";
import { keyFilter } from "./filter.ts";

const ASKED = {
  ...{
    status: null,
    now: new Date(0),
    type: null,
    externalId: "",
    namePrefix: "",
    keyPrefix: "",
    scope: "",
    search: "",
  },
};

test("a request without a word lists all keys, the newest first", () => {
  expect(keyFilter({ ...ASKED, sort: "" })).toEqual({
    ...{
      status: null,
      now: ASKED.now,
      type: null,
      externalId: "",
      namePrefix: "",
      secretPrefix: "",
      scope: "",
      part: "",
    },
    order: "created_at",
  });
});

test("of a key's beginning as much counts as is stored, and a name's has the case of ASCII letters removed", () => {
  const filter = keyFilter({ ...ASKED, keyPrefix: `sk_0123456789${"x".repeat(20)}`, namePrefix: "ÄBc", sort: "" });
  expect(filter).toMatchObject({ secretPrefix: "sk_012345678", namePrefix: "Äbc" });
});

test.each(["created_at", "last_used_at"])("%s is an order", (sort) => {
  expect(keyFilter({ ...ASKED, sort }).order).toBe(sort);
});

test.each([
  ["last_used", 'sort: must be created_at or last_used_at, not "last_used"; did you mean "last_used_at"?'],
  ["CREATED_AT", 'sort: must be created_at or last_used_at, not "CREATED_AT"; did you mean "created_at"?'],
  ["-zz\u202e", 'sort: must be created_at or last_used_at, not "-zz?"'],
])("rejects %j as an order, and the message lists the orders", (sort, message) => {
  expect(() => keyFilter({ ...ASKED, sort })).toThrow(new RequestFault("invalid_value", message, "sort"));
});

test.each([
  ["Café WEB", { part: "café web", secretPrefix: "" }],
  ["sk_0123456789abcdef", { part: "", secretPrefix: "sk_012345678" }],
  ["pk_acme_0123456789abcdef", { part: "", secretPrefix: "pk_012345678" }],
  ["SK_01", { part: "sk_01", secretPrefix: "" }],
  ["key_01", { part: "key_01", secretPrefix: "" }],
])("the search %j is a part of a text, or the beginning of a key", (search, found) => {
  expect(keyFilter({ ...ASKED, search, sort: "" })).toMatchObject(found);
});

test("a search for a key and a beginning of one hold together, and contradict each other only if no key has both", () => {
  for (const [search, keyPrefix] of [
    ["sk_0123", "sk_01"],
    ["sk_01", "sk_0123"],
  ] as const)
    expect(keyFilter({ ...ASKED, search, keyPrefix, sort: "" }).secretPrefix).toBe("sk_0123");
  expect(() => keyFilter({ ...ASKED, search: "sk_01", keyPrefix: "sk_02", sort: "" })).toThrow(
    /^search: begins like a key/,
  );
});
