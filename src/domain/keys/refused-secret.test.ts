import { describe, expect, test } from "vitest";
import { DENIALS } from "../vocabulary/denial.ts";
import { mistypedKey, notAKey } from "./refused-secret.ts";

/** The contract's mistakes have the common cases; these are the others. */
describe("a value that does not look like a key", () => {
  const NO_KEY = DENIALS.api_key_invalid.sentence;
  const BEARER = "X-API-Key begins with the word Bearer, which belongs to Authorization; send only the key.";
  const CAPITALS = "X-API-Key begins with capital letters; send the key as it was made, beginning with sk_ or pk_.";
  const OTHERS =
    "X-API-Key begins with sk- or pk-, as other services' keys do; send a key of this service, beginning with sk_ or pk_.";

  test.each([
    ["BEARER", BEARER],
    ["bearer:sk_x", BEARER],
    ["bearers", NO_KEY],
    ["xbearer", NO_KEY],
    ["Pk_x", CAPITALS],
    ["sK_x", CAPITALS],
    ["SK_sk_x", CAPITALS],
    ["SK_", NO_KEY],
    ["xSK_x", NO_KEY],
    ["PK-x", OTHERS],
    ["sk-", OTHERS],
    ["xsk-x", NO_KEY],
    ["ak-x", NO_KEY],
    ["ak_x", NO_KEY],
    ["sk_\u00e9", NO_KEY],
    ["xkey_1", NO_KEY],
    ["a\tb", "X-API-Key holds a space within its value; send exactly one key, without spaces."],
  ])("is %j", (value, message) => expect(notAKey(value)).toMatchObject({ reason: "api_key_invalid", message }));
});

describe("a value that only begins like a key", () => {
  test.each([
    ["sk_a-b", "has a character that no key has"],
    ["sk__", "has a character that no key has"],
    ["sk_a_", "has a character that no key has"],
    [`sk_${"a".repeat(9)}`, "has 12 of 39 characters, as key_prefix shows them"],
    [`sk_${"a".repeat(8)}`, "was cut: it has 11 of 39 characters"],
    [`sk_${"a".repeat(35)}`, "was cut: it has 38 of 39 characters"],
    [`sk_${"a".repeat(36)}`, "is mistyped: its last 6 characters are a checksum"],
    [`sk_${"a".repeat(37)}`, "is too long: it has 40 characters instead of 39"],
    [`sk_live_${"a".repeat(24)}`, "has a character that no key has"],
    ["sk_acme_a_", "has a character that no key has"],
    [`sk_acme_${"a".repeat(35)}`, "was cut: it has 43 of 44 characters"],
    [`sk_acme_${"a".repeat(36)}`, "is mistyped: its last 6 characters are a checksum"],
    [`sk_acme_${"a".repeat(37)}`, "is too long: it has 45 characters instead of 44"],
  ])("is %j", (value, problem) =>
    expect(mistypedKey(value, "acme")).toMatchObject({
      reason: "api_key_not_found",
      message: expect.stringContaining(`This API key ${problem}`),
    }),
  );
});
