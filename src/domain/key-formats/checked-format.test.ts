import { expect, test } from "vitest";
import { keyFormat, VECTORS } from "../../../test/harness/key-format-vectors.ts";
import { RequestFault } from "../vocabulary/request-fault.ts";
import { checkedFormat } from "./checked-format.ts";
import type { KeyFormat } from "./key-format.ts";
import { fingerprintOf, pepperProblem } from "./peppers.ts";

const PEPPERS = new Map([["acme", "a pepper of acme"]]);

function faultOf(members: Partial<KeyFormat>): { readonly field: string | undefined } | undefined {
  try {
    checkedFormat(keyFormat(members), PEPPERS);
    return undefined;
  } catch (err) {
    if (!(err instanceof RequestFault)) throw err;
    return { field: err.field };
  }
}

test.each([
  ["prefix and minimum that leave no body", { prefix: "a".repeat(16), lengthMin: 16 }, "length_min"],
  ["27 characters of hex", { alphabet: "HEX", lengthMin: 27 }, "length_min"],
  ["18 characters of base62", { lengthMin: 18 }, "length_min"],
  ["17 visible characters", { alphabet: "VISIBLE", lengthMin: 17 }, "length_min"],
  [
    "15 characters of hex with a pepper",
    { alphabet: "HEX", algorithm: "HMAC_SHA256", pepper: "acme", lengthMin: 15 },
    "length_min",
  ],
  ["a maximum below the minimum", { lengthMin: 44, lengthMax: 43 }, "length_max"],
  ["a UUID of another length", { alphabet: "UUID", lengthMin: 36, lengthMax: 37 }, "length_min"],
  ["base62 without case", { case: "LOWER" }, "case"],
  ["a capital prefix without case", { case: "LOWER", alphabet: "HEX", prefix: "ACME_" }, "prefix"],
  ["a separator of a whole text", { separator: "|" }, "separator"],
  ["a part without its separator", { hashedPart: "AFTER_LAST" }, "separator"],
  [
    "a part of a UUID",
    { hashedPart: "AFTER_LAST", separator: "-", alphabet: "UUID", lengthMin: 36, lengthMax: 36 },
    "hashed_part",
  ],
  ["a pepper for SHA256", { pepper: "acme" }, "pepper"],
  ["HMAC without a pepper", { algorithm: "HMAC_SHA256" }, "pepper"],
  ["a pepper that the file lacks", { algorithm: "SHA256_SUFFIX", pepper: "other" }, "pepper"],
] as const)("a format with %s is refused", (_, members, field) => {
  expect(faultOf(members)).toEqual({ field });
});

test.each([
  ["28 characters of hex", { alphabet: "HEX", lengthMin: 28 }],
  ["19 characters of base62", { lengthMin: 19 }],
  ["18 visible characters", { alphabet: "VISIBLE", lengthMin: 18 }],
  ["a UUID", { alphabet: "UUID", lengthMin: 36, lengthMax: 36 }],
  ["16 characters of hex with a pepper", { alphabet: "HEX", algorithm: "HMAC_SHA256", pepper: "acme", lengthMin: 16 }],
] as const)("a format with %s is accepted", (_, members) => {
  expect(faultOf(members)).toBeUndefined();
});

test("each format of the vectors is accepted, with the fingerprint of its pepper", () => {
  for (const { format, pepper = "" } of VECTORS) {
    const peppers = new Map([[format.pepper, pepper]]);
    const checked = checkedFormat(format, peppers);
    expect(checked.pepperFingerprint).toBe(pepper === "" ? "" : fingerprintOf(pepper));
    expect(pepperProblem(checked, peppers)).toBeUndefined();
  }
});

test("a pepper that was lost or changed is a problem of its formats only, and is not quoted", () => {
  const format = checkedFormat(keyFormat({ algorithm: "HMAC_SHA256", pepper: "acme" }), PEPPERS);
  for (const peppers of [new Map(), new Map([["acme", "another pepper of acme"]])]) {
    const problem = pepperProblem(format, peppers);
    expect(problem).toContain("KEY_PEPPERS_FILE");
    expect(problem).toContain("acme");
    expect(problem).not.toContain("pepper of acme");
    expect(pepperProblem(keyFormat(), peppers)).toBeUndefined();
  }
});
