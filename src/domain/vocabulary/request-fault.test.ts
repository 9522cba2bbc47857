// promise: errors.messages, keys.brand
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/harness/any-text.ts";
import { makeSecret } from "../credentials/secret.ts";
import { ERROR_REASONS } from "./error-reason.ts";
import { quotable } from "./request-fault.ts";

test("the reasons of a conflict, and no others, are 409 already_exists", () => {
  const conflicts = Object.entries(ERROR_REASONS).filter(([, { status }]) => Number(status) === 409);
  // `client_org_id_reused` was 400 before conflicts had a status of their own.
  const named = Object.keys(ERROR_REASONS).filter((reason) =>
    /(?<!org_id)_reused$|_taken$|_exists$|^already_/.test(reason),
  );
  expect(conflicts.map(([reason]) => reason)).toEqual(named);
  expect(new Set(conflicts.map(([, { code }]) => code))).toEqual(new Set(["already_exists"]));
});

describe("a caller's own text in a message", () => {
  test("is at most 128 characters of printable ASCII on one line", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 400 }), (text) => {
        expect(quotable(text)).toMatch(/^[\x20-\x7e]{0,128}$/);
      }),
    );
    expect(quotable("a\r\nb\u202e")).toBe("a??b?");
  });

  test("is cut after 128 characters, and what stands far behind them does not move up where a token was removed", () => {
    expect(quotable("a".repeat(1_000))).toBe("a".repeat(128));
    expect(quotable(`${"-".repeat(100)}sk_${"a".repeat(200)}.more`)).toBe(`${"-".repeat(100)}...`);
  });

  test("is as it was sent where it is short and plain", () => {
    for (const text of ["https://idp.example.com/", "sk_", "key_prefix", "conversations:reed"]) {
      expect(quotable(text)).toBe(text);
    }
  });

  test("holds no more of a key than its key_prefix does, wherever the key begins", () => {
    for (let before = 0; before <= 200; before++) {
      for (const [brand, shownChars] of [
        [null, 13],
        ["acme", 18],
        ["a23456789abcdefg", 30],
      ] as const) {
        const key = makeSecret("secret", brand);
        expect(quotable(`${"-".repeat(before)}${key}${key}`)).not.toContain(key.slice(0, shownChars));
      }
    }
  });

  test("holds no token", () => {
    const token = `${Buffer.from('{"alg":"ES256"}').toString("base64url")}.${"a".repeat(200)}.${"b".repeat(80)}`;
    expect(quotable(`Bearer ${token}`)).toBe("Bearer ...");
    expect(quotable(`${"-".repeat(100)}${token}`)).toBe(`${"-".repeat(100)}...`);
  });
});
