import { expect, test } from "vitest";
import { mistakes } from "../../test/harness/config-mistakes.ts";
import { readConfig } from "./config.ts";

test("KEY_BRAND is absent unless it is set", () => {
  expect(readConfig({}).keyBrand).toBeNull();
  for (const brand of ["ac", "acme2", "a23456789abcdefg"])
    expect(readConfig({ KEY_BRAND: brand }).keyBrand).toBe(brand);
});

test.each(["a", "Acme", "2acme", "acme_", "a-c", "\u00e4cme", "a23456789abcdefgh", "sk_acme_"])(
  "the KEY_BRAND %j is a mistake",
  (brand) => {
    const problem = "KEY_BRAND must be 2 to 16 lower-case letters and digits, of which the first is a letter";
    expect(mistakes({ KEY_BRAND: brand })).toEqual([problem]);
  },
);
