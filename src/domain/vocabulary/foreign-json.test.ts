import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unmetRule } from "../tokens/claim-rules.ts";
import { parseForeignJson } from "./foreign-json.ts";

test.each([
  ...["9007199254740992", "9007199254740993", "-9007199254740993", "9007199254740993.0", "9007199254740993e0"],
  ...[
    "90071992547409930E-1",
    "123456789012345678901234567890",
    "1000000000000000000000000",
    "1e20",
    "1e400",
    "-1e999",
    "9.007199254740993e15",
  ],
])("%s is NaN wherever it stands", (number) => {
  const text = `{"a": ${number}, "b": [${number},1,\n${number}], "c":{"d":${number}}, "__proto__": ${number}, "e": "${number}"}`;
  const inner = { a: Number.NaN, b: [Number.NaN, 1, Number.NaN], c: { d: Number.NaN } };
  const parsed = parseForeignJson(text);
  expect(parsed).toMatchObject({ ...inner, e: number });
  expect(Object.getOwnPropertyDescriptor(parsed, "__proto__")?.value).toBeNaN();
  expect(parseForeignJson(number)).toBeNaN();
  expect(parseForeignJson(`[${number}]`)).toEqual([Number.NaN]);
});

test.each([
  "9007199254740991",
  "-9007199254740991",
  "1e15",
  "0.1",
  "5e-324",
  "-0",
  "4503599627370495.5",
  "1234567890123456",
  "1e300",
  "-1e21",
])("%s stays what JSON.parse makes of it", (number) => {
  expect(parseForeignJson(`{"a":${number}}`)).toEqual({ a: Number(number) });
});

test("all other JSON is parsed as by JSON.parse, and other text is a SyntaxError", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const exact = JSON.parse(text, (_, value) =>
        Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21 ? Number.NaN : value,
      );
      expect(parseForeignJson(text)).toEqual(exact);
    }),
  );
  expect(() => parseForeignJson("{1e400")).toThrow(SyntaxError);
});

test("ten thousand arrays within each other are parsed", () => {
  let inner = parseForeignJson(`${"[".repeat(10_000)}1e400${"]".repeat(10_000)}`);
  while (Array.isArray(inner)) [inner] = inner;
  expect(inner).toBeNaN();
});

test("a claim that a double does not hold satisfies no rule, whatever was stored before rules were checked for it", () => {
  const claims = parseForeignJson('{"seat":9007199254740993}') as Record<string, unknown>;
  for (const equals of [9_007_199_254_740_992, Number.NaN, Number.POSITIVE_INFINITY])
    expect(unmetRule(claims, [{ claim: "seat", equals }])).toBeDefined();
});

/** Files of `src` that parse JSON by themselves, each with the reason. */
const OWN_PARSERS: Readonly<Record<string, string>> = {
  "domain/vocabulary/foreign-json.ts": "it is the parser",
  "domain/vocabulary/duplicate-member.ts": "names of members",
  "transport/answer/problem.ts": "answers of the service",
  "transport/answer/envelope.ts": "answers of the service",
  "transport/endpoints/auth-check.ts": "answers of the service",
  "transport/endpoints/identity-claims.ts":
    "claims go back to the provider that sent them; the service compares texts only",
  "app/sidecar/upstream.ts": "errors of the service",
  "config/json-file.ts": "the operator's own files",
  "cli/commands/federation.ts": "the caller's own file, which the service checks",
  "cli/commands/webhook-listen.ts": "shows a signed event",
  "cli/input/access-log.ts": "the operator's own log",
  "cli/input/metadata.ts": "the caller's own argument, which the service checks",
  "dev/organizations.ts": "answers of the service",
  "dev/seed-keys.ts": "answers of the service",
  "dev/persistent-provider.ts": "a key of the development provider",
  "dev/token-command.ts": "the developer's own arguments",
};

// threat: Q8
test("JSON of strangers is parsed in one place", () => {
  const src = fileURLToPath(new URL("../../", import.meta.url));
  const parsers = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .filter((path) => /\bJSON\.parse\(|\.json\(\)/.test(readFileSync(join(src, path), "utf8")));
  expect(parsers.toSorted()).toEqual(Object.keys(OWN_PARSERS).toSorted());
});
