import { describe, expect, test } from "vitest";
import { accessTokenHash, createProofCheck, normalizedUrl } from "./proof.ts";

test("the hash of a token is that of RFC 9449's example", () => {
  expect(accessTokenHash("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")).toBe(
    "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo",
  );
});

describe("two URLs are the same", () => {
  test.each([
    ["whatever their query and fragment", "https://a.example/b?c=d", "https://a.example/b#e"],
    ["in the case of scheme and host", "HTTPS://A.Example/b", "https://a.example/b"],
    ["with the port of their scheme, or without", "https://a.example:443/b", "https://a.example/b"],
    ["with an empty path, or /", "https://a.example", "https://a.example/"],
    ["with what need not be encoded, encoded or not", "https://a.example/%7eb%2D%41", "https://a.example/~b-A"],
    ["in the case of what is encoded", "https://a.example/%2f%c3%bc", "https://a.example/%2F%C3%BC"],
    ["with the segments . and ..", "https://a.example/./c/../b", "https://a.example/b"],
  ])("%s", (_what, one, other) => {
    expect(normalizedUrl(one)).toBeDefined();
    expect(normalizedUrl(one)).toBe(normalizedUrl(other));
  });
});

describe("two URLs differ", () => {
  test.each([
    ["in the scheme", "http://a.example/b", "https://a.example/b"],
    ["in the host", "https://a.example/b", "https://b.example/b"],
    ["in the port", "https://a.example:444/b", "https://a.example/b"],
    ["in the path", "https://a.example/b", "https://a.example/b/"],
    ["in the case of the path", "https://a.example/B", "https://a.example/b"],
    ["in a slash that is encoded", "https://a.example/b%2Fc", "https://a.example/b/c"],
  ])("%s", (_what, one, other) => {
    expect(normalizedUrl(one)).not.toBe(normalizedUrl(other));
  });
});

test.each(["", "/b", "ftp://a.example/b", "https://u@a.example/b", "https://a.example\\b", " https://a.example/b"])(
  "no URL of HTTP is %j",
  (text) => {
    expect(normalizedUrl(text)).toBeUndefined();
  },
);

test("no proof of a request to a service without TOKEN_ISSUER is accepted, and the message names cnf", async () => {
  const claims = { htm: "POST", htu: "https://keys.example/api", iat: 0, jti: "a" };
  const verifier = { verify: async () => ({ jkt: "k", claims }) };
  const check = createProofCheck({
    issuer: "",
    verifier,
    usedOnce: { isUsed: async () => false, use: async () => true },
  });
  const of = { now: new Date(0), token: { text: undefined, jkt: "k" } };
  const refused = check(["proof"], { ...of, target: { method: "POST", url: "/api" } });
  await expect(refused).rejects.toMatchObject({
    reason: "jwt_malformed",
    message: expect.stringMatching(/cnf.*TOKEN_ISSUER/),
  });
  // A proxy says for which request it is.
  await expect(check(["proof"], { ...of, target: { method: "POST", url: claims.htu } })).resolves.toMatchObject({
    jkt: "k",
  });
});
