import { expect, test } from "vitest";
import { checkedEmail, verifiedEmail } from "./email.ts";

test("an email address is compared in lower case and without white space around it", () => {
  expect(checkedEmail(" Jo@Example.COM ")).toBe("jo@example.com");
  expect(checkedEmail("jo+x@example")).toBe("jo+x@example");
});

test.each(["", "jo", "@", "jo@", "@example.com", "a b@example.com", "a@b@c", "jo@exa\u0000mple", "jo\n@example.com"])(
  "%j is no email address",
  (email) => {
    expect(() => checkedEmail(email)).toThrow("email: must be an email address");
  },
);

test("an address counts only if the identity provider says that it has verified it", () => {
  expect(verifiedEmail({ email: "Jo@example.com", email_verified: true })).toBe("jo@example.com");
  for (const email_verified of [undefined, false, "true", 1, null]) {
    expect(verifiedEmail({ email: "jo@example.com", email_verified })).toBeNull();
  }
  for (const email of [undefined, 5, ["jo@example.com"]])
    expect(verifiedEmail({ email, email_verified: true })).toBeNull();
});
