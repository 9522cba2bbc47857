// promise: keys.shape, keys.brand, keys.unknown
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/harness/any-text.ts";
import { hashSecret, makeSecret, SECRET_PATTERN, secretForm, secretPrefix } from "./secret.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Secret and publishable keys in turn, drawn anew by each test. */
function draw(length: number): string[] {
  return Array.from({ length }, (_, n) => makeSecret(n % 2 === 0 ? "secret" : "publishable"));
}

/** How often each of the characters occurred, and how far that is from uniform. NaN if another character occurred. */
function countsOf(alphabet: string) {
  const counts = new Map([...alphabet].map((char) => [char, 0]));
  return {
    count: (char: string) => void counts.set(char, (counts.get(char) ?? Number.NaN) + 1),
    chiSquare() {
      const all = [...counts.values()];
      const expected = all.reduce((sum, count) => sum + count, 0) / all.length;
      return all.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    },
  };
}

describe("10,000 keys", () => {
  // threat: K9
  test("are whole matches of the published pattern and well-formed, each with its type's prefix", () => {
    const whole = new RegExp(`^${SECRET_PATTERN.source}$`);
    for (const [n, secret] of draw(10_000).entries()) {
      expect(secret).toMatch(whole);
      expect(secret.startsWith(n % 2 === 0 ? "sk_" : "pk_")).toBe(true);
      expect(secretForm(secret)).toBe("well_formed");
    }
  });

  test("are found by the pattern in the midst of a text", () => {
    for (const secret of draw(100)) {
      expect(SECRET_PATTERN.exec(`curl -H 'X-API-Key: ${secret}' https://`)?.[0]).toBe(secret);
    }
  });

  // threat: K9
  test("are all different, also in any half of their random part", () => {
    const secrets = draw(10_000);
    expect(new Set(secrets).size).toBe(10_000);
    expect(new Set(secrets.map((secret) => secret.slice(3, 18))).size).toBe(10_000);
    expect(new Set(secrets.map((secret) => secret.slice(18, 33))).size).toBe(10_000);
  });

  // threat: K9
  test("are uniform: no character is favoured, at any place or over all places", () => {
    const secrets = draw(10_000);
    const counts = Array.from({ length: 30 }, () => countsOf(ALPHABET));
    const overall = countsOf(ALPHABET);
    for (const secret of secrets) {
      for (const [place, char] of [...secret.slice(3, 33)].entries()) {
        counts[place]?.count(char);
        overall.count(char);
      }
    }
    // 61 degrees of freedom: beyond this once in about 10^9 places. A modulo over 256 values gives about 1,900 at each
    // place, and one over 249 values about 350 over all.
    for (const place of counts) expect(place.chiSquare()).toBeLessThan(150);
    expect(overall.chiSquare()).toBeLessThan(150);
  });

  // threat: K9, K11
  test("hold at least 160 random bits, of which the display leaves at least 120 unknown", () => {
    const bits = (chars: number): number => Math.floor(chars * Math.log2(ALPHABET.length));
    expect(bits(30)).toBeGreaterThanOrEqual(160);
    for (const secret of draw(100)) {
      const shown = secretPrefix(secret);
      expect(shown.length).toBeLessThanOrEqual(12);
      expect(secret.startsWith(shown)).toBe(true);
      expect(bits(33 - shown.length)).toBeGreaterThanOrEqual(120);
    }
  });

  test("end in the CRC-32 of what stands before it, in base62", () => {
    for (const secret of draw(1_000)) {
      const sum = [...secret.slice(-6)].reduce((value, char) => value * 62 + ALPHABET.indexOf(char), 0);
      expect(sum).toBe(crc32(secret.slice(0, -6)));
    }
  });
});

describe("a key with", () => {
  const secret = makeSecret("secret");

  // threat: K10, E1
  test("any one character changed to any other is refused without a lookup", () => {
    for (let place = 0; place < secret.length; place++) {
      for (const char of `${ALPHABET}_-.`) {
        if (char === secret[place]) continue;
        expect(secretForm(secret.slice(0, place) + char + secret.slice(place + 1))).not.toBe("well_formed");
      }
    }
  });

  test("two neighbours swapped, a piece missing or more behind it is refused without a lookup", () => {
    for (let place = 3; place < secret.length - 1; place++) {
      const [first, second] = [secret.charAt(place), secret.charAt(place + 1)];
      if (first === second) continue;
      expect(secretForm(secret.slice(0, place) + second + first + secret.slice(place + 2))).toBe("unknown");
    }
    for (let length = 0; length < secret.length; length++) {
      expect(secretForm(secret.slice(0, length))).toBe(length <= 3 ? "invalid" : "unknown");
    }
    for (const more of ["a", "0", secret, "\n", " ", "\u200b", ","]) {
      expect(secretForm(secret + more)).not.toBe("well_formed");
    }
  });

  test("the other type's prefix is refused without a lookup", () => {
    expect(secretForm(`pk_${secret.slice(3)}`)).toBe("unknown");
  });
});

describe("a key with a brand", () => {
  const brand = fc.stringMatching(/^[a-z][a-z0-9]{1,15}$/);
  const type = fc.constantFrom("secret" as const, "publishable" as const);

  test("is a whole match of the published pattern and well-formed, whatever the brand", () => {
    fc.assert(
      fc.property(brand, type, (name, kind) => {
        const secret = makeSecret(kind, name);
        expect(secret.startsWith(`${kind === "secret" ? "sk" : "pk"}_${name}_`)).toBe(true);
        expect(SECRET_PATTERN.exec(`(${secret})`)?.[0]).toBe(secret);
        expect(secretForm(secret)).toBe("well_formed");
      }),
    );
  });

  test("is refused without a lookup under another brand, without its brand and under the other type's prefix", () => {
    const secret = makeSecret("secret", "acme");
    for (const other of [secret.replace("acme", "acmf"), secret.replace("acme_", ""), `pk${secret.slice(2)}`])
      expect(secretForm(other)).toBe("unknown");
  });

  test("shows its type and its first nine random characters, and no brand", () => {
    fc.assert(
      fc.property(brand, type, (name, kind) => {
        const secret = makeSecret(kind, name);
        expect(secretPrefix(secret)).toBe(`${secret.slice(0, 3)}${secret.slice(4 + name.length, 13 + name.length)}`);
      }),
    );
  });
});

describe("the form of a text", () => {
  test.each([
    "",
    "sk",
    "sk_",
    "pk_",
    "ak_x",
    "SK_abc",
    "sk-abc",
    "Sk_abc",
    " sk_abc",
    "sk_a b",
    "sk_a,b",
    "sk_a\u0000",
  ])("%j is not that of a key", (text) => expect(secretForm(text)).toBe("invalid"));

  // threat: K3
  test.each([
    ["short", "sk_x"],
    ["of words", "pk_unknown"],
    ["as long as ours", `sk_${"a".repeat(36)}`],
    ["of 100,000 characters", `sk_${"a".repeat(100_000)}`],
    ["with odd characters", "sk_%20"],
  ])("is that of an unknown key: one %s", (_what, text) => expect(secretForm(text)).toBe("unknown"));

  test("is well-formed only for keys that this service made", () => {
    const base62 = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 36, maxLength: 36 });
    fc.assert(fc.property(base62, (body) => secretForm(`sk_${body}`) === "unknown"));
    fc.assert(fc.property(anyText(), (text) => secretForm(text) !== "well_formed"));
  });
});

// threat: E1
test("what is stored is 256 bits, the same for the same key and another for any other", () => {
  const hashes = draw(1_000).map(hashSecret);
  expect(new Set(hashes).size).toBe(1_000);
  for (const hash of hashes) expect(hash).toMatch(/^[\w-]{43}$/);
  expect(Buffer.from(hashSecret("sk_x"), "base64url").toString("hex")).toBe(
    "4bd38db59bc5414db2c0b735424be0364fbe7a7968139a73b5d6bad473f1aabc",
  );
});

/** Those that the clients' tests read, too. */
const VECTORS = JSON.parse(readFileSync(new URL("../../../clients/vectors/made-keys.json", import.meta.url), "utf8"));

describe("keys that callers make", () => {
  test.each<Record<string, string>>(VECTORS.made)("$key is well-formed, with the hash and the prefix", (vector) => {
    const { key = "", secret_hash = "", key_prefix } = vector;
    expect(secretForm(key)).toBe("well_formed");
    expect(hashSecret(key)).toBe(Buffer.from(secret_hash, "hex").toString("base64url"));
    expect(secretPrefix(key)).toBe(key_prefix);
  });

  test.each<Record<string, string>>(VECTORS.other_forms)("$text is $form: $because", ({ text = "", form }) => {
    expect(secretForm(text)).toBe(form);
  });
});
