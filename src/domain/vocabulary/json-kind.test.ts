import { expect, test } from "vitest";
import { kindOf } from "./json-kind.ts";

test.each([
  [null, "null"],
  [[], "an array"],
  [{}, "an object"],
  ["", "a string"],
  [0, "a number"],
  [false, "a boolean"],
])("the type of %j is %s", (value, kind) => expect(kindOf(value)).toBe(kind));
