// promise: keys.caller-made
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeKey } from "../../clients/typescript/src/index.ts";
import { keyOf, lettersOf } from "../../clients/typescript/src/make-key.ts";
import { secretForm } from "../../src/domain/credentials/secret.ts";

const VECTORS = JSON.parse(readFileSync(new URL("../../clients/vectors/made-keys.json", import.meta.url), "utf8"));

test.each<Record<string, string | null>>(VECTORS.made)("the letters $random with the brand $brand", async (vector) => {
  const { random, brand, key, secret_hash: secretHash, key_prefix: keyPrefix } = vector;
  expect(await keyOf(random ?? "", brand ?? undefined)).toEqual({ key, secretHash, keyPrefix });
});

test.each<Record<string, string>>(VECTORS.letters)("the letters of the bytes $bytes", ({ bytes = "", letters }) => {
  expect(lettersOf(Buffer.from(bytes, "hex"))).toBe(letters);
});

test.each<string>(VECTORS.refused_brands)("no key has the brand %j", async (brand) => {
  await expect(makeKey({ brand })).rejects.toThrow(TypeError);
});

test("each key is another one, which the service accepts, with a brand or without", async () => {
  const made = await Promise.all(Array.from({ length: 200 }, (_, n) => makeKey(n % 2 === 0 ? {} : { brand: "acme" })));
  expect(new Set(made.map(({ secretHash }) => secretHash)).size).toBe(200);
  for (const { key } of made) expect(secretForm(key)).toBe("well_formed");
});

test.each([{ type: "publishable" }, { Brand: "acme" }, null])("the options %j are refused", async (options) => {
  await expect(makeKey(options as never)).rejects.toThrow(TypeError);
});
