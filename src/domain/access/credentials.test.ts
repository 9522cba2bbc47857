import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/harness/any-text.ts";
import { Denial } from "../vocabulary/denial.ts";
import {
  bearerToken,
  type CredentialHeaders,
  type Credentials,
  looksLikeToken,
  presentsBearer,
  readCredentials,
} from "./credentials.ts";

const TOKEN = "aaa.bbb.ccc";

/** The credentials, or the reason for the denial. */
function read(headers: Partial<CredentialHeaders>): Credentials | string {
  try {
    return readCredentials({ apiKey: [], authorization: [], onBehalfOf: [], dpop: [], ...headers });
  } catch (err) {
    if (err instanceof Denial) return err.reason;
    throw err;
  }
}

describe("credentials", () => {
  test("are missing without a header, also with X-On-Behalf-Of", () => {
    expect(read({})).toBe("missing_credentials");
    expect(read({ onBehalfOf: ["u1"] })).toBe("missing_credentials");
    expect(read({ authorization: [""] })).toBe("missing_credentials");
    expect(read({ authorization: ["", ""] })).toBe("jwt_malformed");
  });

  // threat: K2, K13
  test("are the key if there is one, even an empty one, and never fall back to the token", () => {
    const authorization = [`Bearer ${TOKEN}`];
    for (const secret of ["", " ", "sk_x", "nonsense"]) {
      const expected = { kind: "api_key", secret };
      expect(read({ apiKey: [secret] })).toEqual({ ...expected, authorization: [] });
      expect(read({ apiKey: [secret], authorization })).toEqual({ ...expected, authorization });
    }
  });

  test("sent twice are refused, even if one is good or both are equal", () => {
    expect(read({ apiKey: ["sk_a", "sk_a"] })).toBe("api_key_invalid");
    expect(read({ apiKey: ["sk_a", ""] })).toBe("api_key_invalid");
    expect(read({ apiKey: ["sk_a", "sk_b"], authorization: [`Bearer ${TOKEN}`] })).toBe("api_key_invalid");
    for (const authorization of [
      [`Bearer ${TOKEN}`, "Bearer x"],
      ["Bearer x", `Bearer ${TOKEN}`],
      [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`],
    ]) {
      expect(read({ authorization })).toBe("jwt_malformed");
      // Rejected as well, but only after the key: its limit is reported.
      expect(read({ authorization, apiKey: ["sk_a"] })).toEqual({ kind: "api_key", secret: "sk_a", authorization });
    }
  });

  test("of a user are one Bearer token", () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      for (const space of [" ", "   ", "\t", " \t "])
        expect(read({ authorization: [`${scheme}${space}${TOKEN}`] })).toEqual({ kind: "user_token", token: TOKEN });
    }
    for (const scheme of ["DPoP", "dpop"])
      expect(read({ authorization: [`${scheme} ${TOKEN}`] })).toEqual({ kind: "bound_token", token: TOKEN });
    for (const value of [
      "Basic dTpw",
      "DPoP",
      `DPoP ${TOKEN}, ${TOKEN}`,
      TOKEN,
      "Bearer",
      `Bearer\n${TOKEN}`,
      `Bearer ${TOKEN}, Bearer ${TOKEN}`,
    ]) {
      expect(read({ authorization: [value] })).toBe("jwt_malformed");
    }
  });
});

describe("a Bearer value", () => {
  test.each([
    "Bearer",
    "Bearer ",
    "Bearer\t ",
    `Bearer\n${TOKEN}`,
    `Bearer\v${TOKEN}`,
    `Bearer ${TOKEN} `,
    ` Bearer ${TOKEN}`,
    `Bearer,${TOKEN}`,
    `Bearer ${TOKEN},x`,
    `Bearer ${TOKEN} x`,
    `Bearer ${TOKEN}\n`,
    `Bearer: ${TOKEN}`,
    `Bearer=${TOKEN}`,
    `Bearer\u00a0${TOKEN}`,
    `xBearer ${TOKEN}`,
  ])("like %j holds no token", (value) => expect(bearerToken(value)).toBeUndefined());

  test("holds a token of any characters but white space and commas, as it is, behind spaces and tabs", () => {
    fc.assert(
      fc.property(anyText({ minLength: 1 }), (token) => {
        const sent = token.replace(/^[ \t]+/, "");
        expect(bearerToken(`Bearer ${token}`)).toBe(sent === "" || /[\s,]/.test(sent) ? undefined : sent);
      }),
    );
  });

  test("is distinguished from another scheme, or none, also if it is malformed", () => {
    for (const value of [`Bearer ${TOKEN}`, "bearer x y", "BEARER\tx", "Bearer  x"])
      expect(presentsBearer(value)).toBe(true);
    for (const value of ["", "Bearer", "Basic dTpw", TOKEN, `Bearer,${TOKEN}`, "BearerX y"]) {
      expect(presentsBearer(value)).toBe(false);
    }
  });
});

describe("a value that looks like a token", () => {
  test.each(["a.b.c", "Bearer a.b.c", "a..", "a.b.c.d.e", "a....", "bearer a.b-_.c", "Bearer  a.b.c"])(
    "is %j",
    (value) => expect(looksLikeToken(value)).toBe(true),
  );

  test.each(["", "a", "a.b", ".b.c", "a.b.c.d", "a.b.c.d.e.f", "a.b.c=", "xBearer a.b.c", "Bearer", "a.b.c "])(
    "is not %j",
    (value) => expect(looksLikeToken(value)).toBe(false),
  );
});

describe("a denial for credentials", () => {
  test.each<[Partial<CredentialHeaders>, string]>([
    [{ apiKey: ["a", "b"] }, "X-API-Key was sent more than once; send exactly one key."],
    [{ authorization: ["a", "b"] }, "Authorization was sent more than once; send exactly one Authorization header."],
    [{ authorization: ["sk_x"] }, "Authorization holds an API key; send it in X-API-Key."],
    [{ authorization: ["a b"] }, "Authorization holds several words, and the first is not Bearer"],
  ])("of %j says what to send", (headers, message) => {
    expect(() => readCredentials({ apiKey: [], authorization: [], onBehalfOf: [], dpop: [], ...headers })).toThrow(
      message,
    );
  });
});
