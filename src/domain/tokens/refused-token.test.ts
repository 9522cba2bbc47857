import { describe, expect, test } from "vitest";
import { algorithmNotAccepted, notCompact, signatureNotBase64url, signatureNotVerified } from "./refused-token.ts";

/** The contract's mistakes have the common cases; these are the others. */
describe("a token that is not three base64url parts", () => {
  const LACKS =
    "The user token has a character that base64url lacks, such as =, + or /; send the token as its issuer made it.";
  const parts = (count: string) =>
    `The user token has ${count} instead of the three of a JWT; send the token whole, as its issuer signed it.`;

  test.each([
    ["{}", "The user token is a JSON object; send it in the compact form, three base64url parts separated by dots."],
    ["x.{}.y", LACKS],
    ["a.b=.c", LACKS],
    ["=a.b.c", LACKS],
    ["a.b.c+", LACKS],
    [".b.c", "The user token lacks its first part, the header; send the token whole."],
    ["a.b", parts("2 parts")],
    ["a.b.c.d", parts("4 parts")],
    ["a.b.c.d.e.f", parts("more than five parts")],
    ["a.b.c.d.e.f.g.h=", parts("more than five parts")],
  ])("is %j", (token, message) => expect(notCompact(token)).toMatchObject({ reason: "jwt_malformed", message }));

  test("is opaque without a dot, and encrypted with five parts", () => {
    expect(notCompact("opaque+").message).toMatch(/^The user token is opaque: /);
    expect(notCompact("a.b.c.d.e").message).toMatch(/^The user token is encrypted: /);
  });
});

describe("an algorithm that is not accepted", () => {
  test.each([
    ["None", 'The user token is not signed, as its alg "None" says'],
    ["HS1", "The user token is signed with HS1, which takes a secret shared with its issuer and is not accepted"],
    ["hs512", "The user token is signed with hs512, which takes a secret shared with its issuer and is not accepted"],
    ["HS", `The user token's alg "HS" is not accepted`],
    ["HS25600", `The user token's alg "HS25600" is not accepted`],
    ["xHS256", `The user token's alg "xHS256" is not accepted`],
    ["none2", `The user token's alg "none2" is not accepted`],
    ["xnone", `The user token's alg "xnone" is not accepted`],
    ["", `The user token's alg "" is not accepted`],
  ])("is %j", (alg, problem) =>
    expect(algorithmNotAccepted(alg)).toMatchObject({
      reason: "jwt_invalid_signature",
      message: `${problem}; have its issuer sign with an asymmetric key, such as RS256, ES256 or EdDSA.`,
    }),
  );
});

test("a signature that is not verified names the token's alg and kid, and one that was cut says so", () => {
  const { message } = signatureNotVerified({ alg: "ES256", kid: undefined });
  expect(message).toContain("(alg ES256, no kid) could not be verified with the keys of the configured issuer");
  expect(signatureNotBase64url()).toMatchObject({
    reason: "jwt_invalid_signature",
    message: "The user token's signature is not valid base64url, so it was cut or changed; send the token whole.",
  });
});
