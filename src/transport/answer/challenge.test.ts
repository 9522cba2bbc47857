import { expect, test } from "vitest";
import { DENIALS, Denial, type DenialReason } from "../../domain/vocabulary/denial.ts";
import { challengeOf } from "./challenge.ts";

const REASONS = Object.keys(DENIALS) as DenialReason[];
/** RFC 6750, 3: what stands between the quotes of an attribute. */
const CHALLENGE = /^Bearer [a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]+"(, [a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]+")*$/;

test.each(REASONS)(
  "%s has a challenge with a parameter if its status is 401, and at 403 only for a scope",
  (reason) => {
    const { status } = DENIALS[reason];
    const challenge = challengeOf(status, new Denial(reason));
    if (status === 401 || reason === "insufficient_scope") expect(challenge).toMatch(CHALLENGE);
    else expect(challenge).toBeUndefined();
  },
);

test("a refused token is an invalid_token, and the description says why", () => {
  expect(challengeOf(401, new Denial("jwt_expired"))).toBe(
    'Bearer realm="latchkey", error="invalid_token", error_description="The user token has expired; have the user sign in again, or refresh the token."',
  );
});

test.each(REASONS.filter((reason) => /^(jwt_|user_id_)/.test(reason)))("%s is an invalid_token", (reason) => {
  expect(challengeOf(401, new Denial(reason))).toContain('error="invalid_token"');
});

test("a key, and credentials that are absent, have no error", () => {
  for (const reason of ["missing_credentials", "api_key_revoked", "publishable_key_requires_jwt"] as const) {
    expect(challengeOf(401, new Denial(reason))).toBe('Bearer realm="latchkey"');
  }
});

test("a lacking scope is named, if it is one", () => {
  expect(challengeOf(403, new Denial("insufficient_scope", { scope: "threads:write" }))).toBe(
    'Bearer error="insufficient_scope", scope="threads:write"',
  );
  expect(challengeOf(403, new Denial("insufficient_scope"))).toBe('Bearer error="insufficient_scope"');
});

test("over gRPC, whose status is 200, a denial has its challenge", () => {
  expect(challengeOf(200, new Denial("api_key_invalid"))).toBe('Bearer realm="latchkey"');
});

test("an answer without a denial has none, but a 401", () => {
  expect(challengeOf(200, undefined)).toBeUndefined();
  expect(challengeOf(401, undefined)).toBe('Bearer realm="latchkey"');
});
