import { expect, test } from "vitest";
import { KeyForms } from "./key-forms.ts";

const form = (...keys: readonly string[]) => {
  const forms = new KeyForms();
  for (const key of keys) forms.addKey(key);
  return forms.list();
};

test.each<[what: string, keys: string[], form: object]>([
  [
    "UUIDs",
    ["a3f62c7a-1e90-4b58-8c41-7a5e9d0b2c02", "8a3b1f0e-5c1d-4f7a-9b22-0d6c4e8f1a01"],
    { prefix: "", alphabet: "UUID", length_min: 36, length_max: 36 },
  ],
  [
    "hex behind a prefix",
    ["acme_3f9a1c5e7b2d4f60819a2b3c4d5e6f70"],
    { prefix: "acme_", alphabet: "HEX", length_min: 37 },
  ],
  [
    "two words before the key",
    ["sk_live_4eC39HqLyjWDarjtT1zdp7dcXk20Ab91", "sk_live_0eC39HqLyjWDarjtT1zdp7dcXk20"],
    { prefix: "sk_live_", alphabet: "BASE62", length_min: 36, length_max: 40 },
  ],
  ["base64url", ["sk-qIlua7liF-feYWLmemDA4A"], { prefix: "sk-", alphabet: "BASE64URL", length_min: 25 }],
  ["a dot", ["hPbxgHn0.q8dC22i7U3jNFHEqo6lcb9xGLYmxNAdc"], { prefix: "", alphabet: "VISIBLE" }],
  ["a word that is not before enough characters", ["short_0123456789abcde"], { prefix: "", alphabet: "BASE64URL" }],
])("%s are suggested as a format", (_, keys, expected) => {
  expect(form(...keys)).toEqual([expect.objectContaining({ keys: keys.length, algorithm: "SHA256", ...expected })]);
});

test("digests show no lengths and no alphabet, only the prefix if the source has one", () => {
  const forms = new KeyForms();
  forms.addDigest("acme_3f", "HMAC_SHA256");
  forms.addDigest("acme_9b", "HMAC_SHA256");
  expect(forms.list()).toEqual([{ prefix: "acme_", algorithm: "HMAC_SHA256", keys: 2 }]);
});

test("a hyphen in a random key is not taken for the end of a prefix", () => {
  const random = Array.from({ length: 1_000 }, (_, index) => `p${index}_0123456789abcdef0123`);
  const shared = Array.from({ length: 100 }, (_, index) => `acme_0123456789abcdef${index}`);
  expect(form(...random, ...shared)).toEqual([
    expect.objectContaining({ prefix: "", keys: 1_000, alphabet: "BASE64URL" }),
    expect.objectContaining({ prefix: "acme_", keys: 100, alphabet: "HEX" }),
  ]);
});
