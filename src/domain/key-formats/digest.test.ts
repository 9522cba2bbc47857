import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keyFormat, VECTORS } from "../../../test/harness/key-format-vectors.ts";
import { compileFormats, hashForeign, partsOf } from "./compiled.ts";
import { decodedDigest, digestOf, importedHash } from "./digest.ts";
import { ALGORITHMS, hasPepper } from "./key-format.ts";
import { fingerprintOf } from "./peppers.ts";

test.each(VECTORS)("a key of $system has the digest that $system stores", ({ text, digest, format, pepper = "" }) => {
  const peppers = new Map(pepper === "" ? [] : [[format.pepper, pepper]]);
  const compiled = compileFormats({ formats: [{ ...format, pepperFingerprint: fingerprintOf(pepper) }] }, peppers);
  const found = compiled.find(text);
  if (found === undefined) throw new Error("the text does not fit its format");
  const { publicPart, hashed } = partsOf(found, text);
  const stored = decodedDigest(format.algorithm, digest);
  expect(stored && Buffer.from(stored)).toEqual(Buffer.from(digestOf(format.algorithm, hashed, pepper)));
  if (stored === undefined) return;
  expect(hashForeign(found, text)).toBe(importedHash(found.hashHead, publicPart, stored));
});

test("a digest that is presented as a key does not have its own hash", () => {
  const format = keyFormat({ alphabet: "HEX", lengthMin: 64, lengthMax: 64 });
  const compiled = compileFormats({ formats: [format] }, new Map());
  const digest = createHash("sha256").update("a".repeat(64)).digest("hex");
  const [of, as] = ["a".repeat(64), digest].map((text) => {
    const found = compiled.find(text);
    return found && hashForeign(found, text);
  });
  expect(of).toBeDefined();
  expect(as).not.toBe(of);
});

test("base64 of the hex of a digest is not taken for a longer digest", () => {
  const hex = Buffer.from(digestOf("SHA256", "a text", "")).toString("hex");
  for (const text of [hex, hex.toUpperCase()])
    expect(decodedDigest("SHA512", Buffer.from(text).toString("base64"))).toBeUndefined();
});

test("the public part of a key is bound: with another one the same secret is another key", () => {
  const format = keyFormat({ alphabet: "BASE62", hashedPart: "AFTER_LAST", separator: "|", lengthMax: 80 });
  const compiled = compileFormats({ formats: [format] }, new Map());
  const secret = "7hQ2mVx9KcT4bNf8RzL1sWp6YdG3jUe5oAiMqXvBc3c178de";
  const hashes = [`1|${secret}`, `999|${secret}`, `1|1|${secret}`].map((text) => {
    const found = compiled.find(text);
    return found && hashForeign(found, text);
  });
  expect(new Set(hashes)).not.toContain(undefined);
  expect(new Set(hashes).size).toBe(3);
});

test("two formats never make the same hash of a digest", () => {
  const [one, other] = ["one", "other"].map(
    (name) => compileFormats({ formats: [keyFormat({ name })] }, new Map()).named(name)?.hashHead,
  );
  const digest = digestOf("SHA256", "text", "");
  expect(importedHash(one ?? Buffer.of(), "", digest)).not.toBe(importedHash(other ?? Buffer.of(), "", digest));
});

const ENCODINGS = ["hex", "base64", "base64url"] as const;

test("a digest in hex, base64 and base64url, with and without its padding, is the same", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ALGORITHMS), fc.string(), (algorithm, text) => {
      const digest = Buffer.from(digestOf(algorithm, text, hasPepper(algorithm) ? "a pepper of tests" : ""));
      const texts = ENCODINGS.map((encoding) => digest.toString(encoding));
      for (const encoded of [...texts, texts[0]?.toUpperCase() ?? "", texts[1]?.replace(/=+$/, "") ?? ""])
        expect(decodedDigest(algorithm, encoded)).toEqual(digest);
    }),
  );
});

test.each([
  ["nothing", ""],
  ["one byte less", "00".repeat(31)],
  ["the digest of another algorithm", "00".repeat(64)],
  ["the base64 of its hex", Buffer.from("00".repeat(32)).toString("base64")],
  ["bits beyond its bytes", `${"A".repeat(42)}B=`],
  ["a character of no encoding", `${"A".repeat(42)}!=`],
  ["characters of two encodings", `-/${"A".repeat(41)}=`],
  ["too much padding", `${"A".repeat(43)}==`],
  ["white space", ` ${"A".repeat(42)}=`],
])("a digest with %s is refused", (_, text) => {
  expect(decodedDigest("SHA256", text)).toBeUndefined();
});
