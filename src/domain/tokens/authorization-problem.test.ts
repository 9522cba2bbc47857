import { expect, test } from "vitest";
import { authorizationProblem } from "./authorization-problem.ts";

test.each([
  ["Basic dTpw", "Authorization holds Basic credentials, a user name and a password, which are not accepted"],
  ["DIGEST username=u", "Authorization holds Digest credentials, which are not accepted"],
  ["Negotiate abc", "Authorization holds Negotiate credentials, which are not accepted"],
  ["DPoP", "Authorization has the scheme DPoP without exactly one token behind it"],
  ["DPoP a.b.c, DPoP d.e.f", "Authorization has the scheme DPoP without exactly one token behind it"],
  ["token a.b.c", 'Authorization begins with the word "Token" instead of Bearer'],
  ["JWT a.b.c", 'Authorization begins with the word "JWT" instead of Bearer'],
  ["Bearer", "Authorization holds the word Bearer without a token behind it"],
  [" Bearer ", "Authorization holds the word Bearer without a token behind it"],
  ["Bearer a.b.c, Bearer d.e.f", "Authorization holds several values, joined by a comma"],
  ["Bearer a.b.c,d.e.f", "Authorization holds several values, joined by a comma"],
  ["Bearer BEARER a.b.c", "Authorization holds the word Bearer twice"],
  ["Bearer a.b.c xBearer", "Authorization holds more than one word behind Bearer"],
  ["Bearer a.b.c Bearers", "Authorization holds more than one word behind Bearer"],
  ["Bearer\u00a0a.b.c", "Authorization has something other than a space around the word Bearer"],
  ["Bearer:a.b.c", "Authorization has something other than a space behind the word Bearer"],
  ["Bearer= a.b.c", "Authorization has something other than a space behind the word Bearer"],
  ["Bearera.b.c d", "Authorization holds several words, and the first is not Bearer"],
  ["xBearer: a.b.c", "Authorization holds several words, and the first is not Bearer"],
  ["undefined", "Authorization holds a placeholder and not a token"],
  ["a.b.c", "Authorization holds a token without the word Bearer before it"],
  ["opaque", "Authorization does not begin with the word Bearer"],
  ["", "Authorization does not begin with the word Bearer"],
])("%j is refused with what is wrong and what to send", (value, problem) =>
  expect(authorizationProblem(value)).toBe(`${problem}; send Authorization: Bearer <USER_JWT>.`),
);
