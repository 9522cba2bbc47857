// promise: json.exact-numbers
import { expect, test } from "vitest";
import { sharedPublishable, USER_KEY } from "../harness/publishable.ts";
import { signToken } from "../jwks/provider.ts";

const { newApp } = await sharedPublishable();

// threat: Q8
test.each([
  ["9007199254740991", "9007199254740991", "admitted"],
  ["9007199254740991", "9007199254740991.0", "admitted"],
  ["9007199254740991", "9007199254740992", "jwt_malformed"],
  ["9007199254740991", "9007199254740993", "jwt_malformed"],
  ["9007199254740991", '"9007199254740991"', "jwt_malformed"],
  ["1", "1.0", "admitted"],
  ["100", "1e2", "admitted"],
  ["0", "-0", "admitted"],
  ["0", "1e400", "jwt_malformed"],
])("by a rule that a claim equals %s, a token in which it is %s is %s", async (equals, claim, outcome) => {
  const app = await newApp({ oidc: { claimRules: [{ claim: "seat.number", equals: Number(equals) }] } });
  const claims = JSON.stringify(app.claims({ seat: { number: "the number" } })).replace('"the number"', claim);
  expect(await app.outcomeOf(signToken(USER_KEY, claims))).toBe(outcome);
});
