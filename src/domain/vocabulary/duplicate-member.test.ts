import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duplicateMember } from "./duplicate-member.ts";

describe("a duplicate member", () => {
  test.each<[string, (string | number)[]]>([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":{"b":1,"c":2,"b":3}}', ["a", "b"]],
    ['[1,[2,{"a":1,"b":2,"a":3}]]', [1, 1, "a"]],
    ['{"a":1,"\\u0061":2}', ["a"]],
    ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
    ['{"":1,"":2}', [""]],
    ['{ "a" : [ ] , "a" : { } }', ["a"]],
    ['{"a":1,"b":{"c":1},"b":2,"a":3}', ["b"]],
    ['{"a":"\\"","a":1}', ["a"]],
  ])("of %s is found, with its path", (json, path) => {
    expect(duplicateMember(json)).toEqual(path);
  });

  test.each([
    '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}',
    '{"a":"a\\":1,\\"a","b":":"}',
    '["a","a",{"a":"a"}]',
    '{"a":1,"A":2}',
    '"a:a:a"',
    "[]",
    "1",
  ])("is not in %s", (json) => {
    expect(duplicateMember(json)).toBeUndefined();
  });

  test("is never in what JSON.stringify writes, and always in an object to which a member is added again", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.boolean(), (object, spaced) => {
        const json = JSON.stringify(object, null, spaced ? 2 : 0);
        expect(duplicateMember(json)).toBeUndefined();
        const [name = ""] = Object.keys(object);
        expect(duplicateMember(json.replace(/}$/, () => `,${JSON.stringify(name)}:0}`))).toEqual([name]);
      }),
    );
  });
});
