import { expect, test } from "vitest";
import { escapeInvisible } from "./invisible-characters.ts";

test.each([
  ['{"a":"plain"}\n', '{"a":"plain"}\n'],
  ['"é日😀"', '"é日😀"'],
  ['"\u007f\u0080\u009b\u009f\u00a0"', '"\\u007f\\u0080\\u009b\\u009f\u00a0"'],
  ['"\u2027\u2028\u2029\u202a"', '"\u2027\\u2028\\u2029\\u202a"'],
  ['"\u202e\u2066\u061c"', '"\\u202e\\u2066\\u061c"'],
])("%j is written as %j, which is the same JSON", (json, escaped) => {
  expect(escapeInvisible(json)).toBe(escaped);
  expect(JSON.parse(escaped)).toEqual(JSON.parse(json));
});
