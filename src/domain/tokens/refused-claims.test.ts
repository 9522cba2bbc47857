import { describe, expect, test } from "vitest";
import {
  audienceDiffers,
  expired,
  inFuture,
  issuerDiffers,
  requiredClaimUnmet,
  userIdNotFound,
} from "./refused-claims.ts";

const ISSUER = "https://idp.example";
const OTHER = "differs from the configured issuer; send a token of that issuer.";

/** The contract's mistakes have the common cases; these are the others. */
describe("a refused issuer", () => {
  const message = (iss: unknown, issuer = ISSUER) => issuerDiffers(iss, issuer).message;
  const onlyIn = (iss: string, slip: string) =>
    `The user token's iss claim "${iss}" differs from the configured issuer only in ${slip}; set both to the same text.`;

  test.each([
    ["the slash at its end, which the configuration lacks", `${ISSUER}/`, ISSUER],
    ["the slash at its end, which the claim lacks", ISSUER, `${ISSUER}/`],
    ["upper and lower case", "https://IDP.example", ISSUER],
    ["the white space around it", ` ${ISSUER}`, ISSUER],
    ["the white space around it", ISSUER, `${ISSUER} `],
    ["its scheme, http or https", "http://idp.example", ISSUER],
    ["its scheme, http or https", ISSUER, "http://idp.example"],
  ])("differs only in %s: %j and %j", (slip, iss, issuer) => expect(message(iss, issuer)).toBe(onlyIn(iss, slip)));

  test.each([
    ["", ISSUER],
    ["https://idp.example2", ISSUER],
    ["https://idp.example//", ISSUER],
    ["idp.example", ISSUER],
    ["ftp://idp.example", ISSUER],
    ["xhttps://idp.example", "xhttp://idp.example"],
  ])("is another one: %j and %j", (iss, issuer) =>
    expect(message(iss, issuer)).toBe(`The user token's iss claim "${iss}" ${OTHER}`),
  );

  test.each([
    [null, "null"],
    [7, "a number"],
    [[ISSUER], "an array"],
    [{}, "an object"],
  ])("is not a text: %j", (iss, kind) => {
    expect(issuerDiffers(iss, ISSUER)).toMatchObject({
      reason: "jwt_invalid_issuer",
      message: `The user token's iss claim is ${kind} instead of a string; have its issuer make it one.`,
    });
  });
});

describe("a refused audience", () => {
  const message = (aud: unknown) => audienceDiffers(aud, "app").message;

  test("is one that the token names, alone or in a list of one", () => {
    for (const aud of ["web", ["web"]]) {
      expect(message(aud)).toBe(
        `The user token's aud claim "web" differs from the configured audience; send a token issued for that audience.`,
      );
    }
    for (const aud of ["App", ["App"]]) expect(message(aud)).toMatch(/only in upper and lower case; set both/);
  });

  test("differs from all of several, of which two are shown", () => {
    const none = "does not have the configured audience; send a token issued for that audience.";
    expect(message(["App", "b"])).toBe(`The user token's aud claim "App", "b" ${none}`);
    expect(message(["a", "b", "c", "d"])).toBe(`The user token's aud claim "a", "b" and 2 more ${none}`);
  });

  test("is missing, empty or no text", () => {
    expect(message([])).toBe(
      "The user token's aud claim is an empty array; send a token issued for the configured audience.",
    );
    for (const aud of [7, null, ["app", 7]]) {
      expect(audienceDiffers(aud, "app")).toMatchObject({
        reason: "jwt_invalid_audience",
        message: "The user token's aud claim must be a string or an array of strings; have its issuer make it so.",
      });
    }
  });
});

describe("a refused time", () => {
  test("of expiry is shown in UTC, to the second, if a date can hold it", () => {
    expect(expired(1_767_225_600.9).message).toContain("expired at 2026-01-01T00:00:00Z; have the user sign in again");
    expect(expired(1e300)).toMatchObject({ reason: "jwt_expired", message: expect.not.stringContaining("at ") });
  });

  test("in the future says what to set", () => {
    expect(inFuture("nbf", 4_102_444_800).message).toBe(
      "The user token's claim nbf lies in the future: the token is valid from 2100-01-01T00:00:00Z on; use it from then on, or set its issuer's clock.",
    );
    expect(inFuture("iat", 4_102_444_800).message).toBe(
      "The user token's claim iat lies in the future, at 2100-01-01T00:00:00Z; set its issuer's clock.",
    );
  });

  test("from the year 5138 on was probably given in milliseconds", () => {
    expect(inFuture("iat", 1e11 - 1).message).toContain("lies in the future");
    expect(inFuture("nbf", 1e11)).toMatchObject({
      reason: "jwt_malformed",
      message: "The user token's claim nbf is in milliseconds; have its issuer give it in seconds.",
    });
  });
});

describe("a refused claim", () => {
  const USER_ID =
    "issue it with that claim as a string of 1 to 256 characters, containing a visible character and no control characters.";

  test.each([
    [{ uid: "" }, "as an empty string"],
    [{ uid: " " }, "as a string that is too long, blank or has a control character"],
    [{ uid: null }, "as null"],
    [{ uid: ["u1"] }, "as an array"],
  ])("holds no user id: %j", (claims, what) => {
    expect(userIdNotFound(claims, "uid").message).toBe(
      `The user token has the claim uid, which holds the user id, ${what}; ${USER_ID}`,
    );
  });

  test.each([
    [{}, "does not carry"],
    [{ plan: "free" }, "has another value in"],
    [{ plan: 5 }, "has a number instead of a string in"],
    [{ plan: null }, "has null instead of a string in"],
  ])("is not as the key or the operator requires it: %j", (claims, what) => {
    for (const requiredBy of ["key", "operator"] as const) {
      expect(requiredClaimUnmet(claims, "plan", requiredBy)).toMatchObject({
        reason: "jwt_malformed",
        message: `The user token ${what} the required claim plan; send a token that has it with the value that the ${requiredBy} requires.`,
      });
    }
  });
});
