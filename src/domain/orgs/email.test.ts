// promise: invitations.accept
import { expect, test } from "vitest";
import { checkedEmail, verifiedEmail } from "./email.ts";

test("of an email address the case of A to Z does not matter, and in a request spaces around it", () => {
  expect(checkedEmail(" Jo@Example.COM ")).toBe("jo@example.com");
  expect(checkedEmail("jo+x@example")).toBe("jo+x@example");
});

test.each(["", "jo", "@", "jo@", "@example.com", "a b@example.com", "a@b@c", "jo@exa\u0000mple", "jo\n@example.com"])(
  "rejects %j as an email address",
  (email) => {
    expect(() => checkedEmail(email)).toThrow("email: must be an email address");
  },
);

test("two addresses that look alike stay two", () => {
  const verified = (email: string) => verifiedEmail({ email, email_verified: true });
  expect(verified("\u212Aate@example.com")).toBe("\u212Aate@example.com");
  expect(checkedEmail("\u212Aate@Example.com")).toBe("\u212Aate@example.com");
  expect(verified("J\u00d6@example.com")).toBe("j\u00d6@example.com");
  expect(verified("j\u00f6@example.com")).toBe("j\u00f6@example.com");
  for (const space of ["\u00a0", "\u2003", "\ufeff", "\n"]) {
    for (const email of [`${space}jo@example.com`, `jo@example.com${space}`]) {
      expect(verified(email)).toBe(email);
      expect(() => checkedEmail(email)).toThrow("email: must be an email address");
    }
  }
  expect(verified(" jo@example.com")).toBe(" jo@example.com");
});

test("an address counts only if the identity provider says that it has verified it", () => {
  expect(verifiedEmail({ email: "Jo@example.com", email_verified: true })).toBe("jo@example.com");
  for (const email_verified of [undefined, false, "true", 1, null]) {
    expect(verifiedEmail({ email: "jo@example.com", email_verified })).toBeNull();
  }
  for (const email of [undefined, 5, ["jo@example.com"]])
    expect(verifiedEmail({ email, email_verified: true })).toBeNull();
});
