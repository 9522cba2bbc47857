// promise: tokens.claims
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Claims, findClaim, unmetClaim } from "./claims.ts";

/** As a token brings them: parsed from JSON, so that `__proto__` is an ordinary member. */
function parseClaims(json: string): Claims {
  return JSON.parse(json);
}

const name = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom("a", "b", "__proto__", "constructor", "toString", "length"),
);
const plainName = name.filter((text) => !text.includes("."));
const claims = fc.json().map((json) => parseClaims(`{"claim":${json}}`));

describe("finding a claim", () => {
  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "isPrototypeOf"])(
    "%s is not there unless the token has it",
    (inherited) => {
      expect(findClaim(parseClaims('{"sub":"x"}'), inherited)).toBeUndefined();
      expect(findClaim(parseClaims(`{"${inherited}":"own"}`), inherited)).toBe("own");
      expect(findClaim(parseClaims('{"sub":{}}'), `sub.${inherited}`)).toBeUndefined();
      expect(findClaim(parseClaims(`{"sub":{"${inherited}":"own"}}`), `sub.${inherited}`)).toBe("own");
    },
  );

  // threat: J16
  test.each([
    "constructor.name",
    "__proto__.toString",
    "sub.length",
    "sub.0",
    "list.length",
    "list.0",
    "a.toString.name",
    "none.x",
    "nothing.x",
  ])("%s resolves to no member of a prototype, string or array", (path) => {
    const token = parseClaims('{"sub":"ab","list":["x"],"a":{},"none":null}');
    expect(findClaim(token, path)).toBeUndefined();
  });

  // threat: J17
  test("the literal name comes before the path", () => {
    const token = parseClaims('{"a.b":"literal","a":{"b":"path"},"https://x.y/role":"admin"}');
    expect(findClaim(token, "a.b")).toBe("literal");
    expect(findClaim(token, "https://x.y/role")).toBe("admin");
    expect(findClaim(parseClaims('{"a":{"b":"path"}}'), "a.b")).toBe("path");
    expect(findClaim(parseClaims('{"a.b":null,"a":{"b":"path"}}'), "a.b")).toBeNull();
  });

  test("a name with dots is found at every level, the longest first", () => {
    expect(findClaim(parseClaims('{"a":{"b.c":"x"}}'), "a.b.c")).toBe("x");
    expect(findClaim(parseClaims('{"a.b":{"c":"x"},"a":{"b.c":"y","b":{"c":"z"}}}'), "a.b.c")).toBe("x");
    expect(findClaim(parseClaims('{"a.b":{"d":"x"},"a":{"b.c":"y"}}'), "a.b.c")).toBe("y");
    expect(findClaim(parseClaims('{"a.b":"text","a":{"b":{"c":"z"}}}'), "a.b.c")).toBe("z");
    const stytch = parseClaims('{"https://stytch.com/organization":{"organization_id":"org_1"}}');
    expect(findClaim(stytch, "https://stytch.com/organization.organization_id")).toBe("org_1");
    const keycloak = parseClaims('{"resource_access":{"my.client":{"roles":["admin"]}}}');
    expect(findClaim(keycloak, "resource_access.my.client.roles")).toEqual(["admin"]);
  });

  test("a long path through a deep token is found or not in no time", () => {
    const depth = 100;
    const token = parseClaims(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
    expect(findClaim(token, Array(depth).fill("a").join("."))).toBe(1);
    expect(findClaim(token, `${Array(depth).fill("a").join(".")}.b`)).toBeUndefined();
  });

  test.each(["", ".", "a.", ".a", "a..b"])("the path %j finds only a claim of exactly this name", (path) => {
    expect(findClaim(parseClaims('{"a":{"b":"x"}}'), path)).toBeUndefined();
    expect(findClaim(parseClaims(`{"${path}":"x","a":{"b":"y"}}`), path)).toBe("x");
  });

  test("a claim with any name is found by its name", () => {
    const property = fc.property(name, fc.jsonValue(), (key, value) => {
      const token = parseClaims(`{"x":1,${JSON.stringify(key)}:${JSON.stringify(value)}}`);
      expect(JSON.stringify(findClaim(token, key))).toBe(JSON.stringify(value));
    });
    fc.assert(property);
  });

  test("a nested claim is found by its path, with any names on the way", () => {
    const property = fc.property(fc.array(plainName, { minLength: 1, maxLength: 5 }), fc.string(), (path, value) => {
      const json = path.reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, JSON.stringify(value));
      expect(findClaim(parseClaims(json), path.join("."))).toBe(value);
    });
    fc.assert(property);
  });

  test("only claims that the token contains are found", () => {
    const property = fc.property(claims, fc.array(name, { minLength: 1, maxLength: 4 }), (token, path) => {
      const found = findClaim(token, path.join("."));
      expect(typeof found).not.toBe("function");
      if (found !== undefined) expect(JSON.stringify(token)).toContain(JSON.stringify(found));
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});

describe("required claims", () => {
  // threat: J17
  test.each([
    ["1", "1", true],
    ["1", 1, false],
    ["true", true, false],
    ["1", ["1"], false],
    ["admin", ["admin"], false],
    ["", null, false],
    ["[object Object]", {}, false],
    ["a", "A", false],
    ["a", " a", false],
    ["", "", true],
  ])("%j is met by the same text only: %j", (required, value, met) => {
    const token = parseClaims(JSON.stringify({ a: { b: value } }));
    expect(unmetClaim(token, { "a.b": required })).toBe(met ? undefined : "a.b");
  });

  test("no inherited member meets one", () => {
    const token = parseClaims('{"sub":"ab","a":{}}');
    const required = [
      { "constructor.name": "Object" },
      { "__proto__.x": "y" },
      { "sub.length": "2" },
      { "a.toString.name": "toString" },
    ];
    for (const claim of required) expect(unmetClaim(token, claim)).toBe(Object.keys(claim)[0]);
  });

  test("the first unmet one is named, and none if all are met", () => {
    const token = parseClaims('{"a":"1","b":"2"}');
    expect(unmetClaim(token, { a: "1", c: "3", b: "x" })).toBe("c");
    expect(unmetClaim(token, { a: "1", b: "2" })).toBeUndefined();
    expect(unmetClaim(token, {})).toBeUndefined();
  });

  test("one is met exactly if the claim that is found is that text", () => {
    const property = fc.property(claims, name, fc.string(), (token, path, value) => {
      expect(unmetClaim(token, { claim: value, [`claim.${path}`]: value }) === undefined).toBe(
        findClaim(token, "claim") === value && findClaim(token, `claim.${path}`) === value,
      );
    });
    fc.assert(property);
  });
});
