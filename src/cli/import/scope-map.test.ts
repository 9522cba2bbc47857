import { describe, expect, test } from "vitest";
import { mappedScopes, parseScopeMap } from "./scope-map.ts";

const MAP = parseScopeMap(
  '{"scopes":{"read":["files:read"],"all":["files:read","files:write"],"old":[]},"without_scopes":["a:b"]}',
);

describe("scopes of the source", () => {
  test.each<[own: string[], mapped: string[]]>([
    [["read"], ["files:read"]],
    [
      ["read", "all"],
      ["files:read", "files:write"],
    ],
    [["old", "read"], ["files:read"]],
    [[], ["a:b"]],
  ])("%j are %j", (own, mapped) => {
    expect(mappedScopes("permissions", own, MAP)).toEqual(mapped);
  });

  test.each(["write", "constructor", "__proto__"])("%s, which the map lacks, refuses the row", (scope) => {
    expect(() => mappedScopes("permissions", ["read", scope], MAP)).toThrow(`"${scope}"`);
  });

  test("all of which are dropped refuse the row: a key without them is of no use", () => {
    expect(() => mappedScopes("permissions", ["old"], MAP)).toThrow("all dropped");
  });

  test("without a map are those of the catalogue", () => {
    expect(mappedScopes("permissions", ["files:read"], parseScopeMap("{}"))).toEqual(["files:read"]);
  });
});

test.each([
  ["{", "valid JSON"],
  ["[]", "a JSON object"],
  ['{"scope":{}}', '"scope"'],
  ['{"scopes":[]}', "scopes in --map"],
  ['{"scopes":{"a":"b"}}', "scopes.a in --map"],
  ['{"without_scopes":[1]}', "without_scopes in --map"],
  ['{"tenants":{"a":""}}', "tenants.a in --map"],
])("the map %s is rejected, and the message names the member", (text, message) => {
  expect(() => parseScopeMap(text)).toThrow(message);
});
