// promise: cli.secrets
import { expect, test } from "vitest";
import { withoutArguments, withoutCredentials } from "./without-secrets.ts";

const SECRET = "sk_Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZg1";
const JWT = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJl";

test.each([
  SECRET,
  SECRET.replace("sk_", "pk_acme_"),
  SECRET.slice(0, -1),
  SECRET.toLowerCase(),
  JWT,
  JWT.slice(0, 20),
  `inv_${"a".repeat(43)}`,
])("%s is left out of every text", (secret) => {
  const text = `error: unknown command '${secret}'; at https://${secret}/`;
  expect(withoutCredentials(text)).toBe("error: unknown command '...'; at https://.../");
});

test("a service's message stays as it is", () => {
  const message = `NotFound: key_id: no such key (request_id req_${"0".repeat(32)}). See /docs/errors#api_key_not_found`;
  expect(withoutCredentials(message)).toBe(message);
});

test.each(["0123456789abcdef0123456789abcdef", "q0/Zr+4kXv0D3b7yWk1oN5cJ8h2LmTgS6uEaPiRxVY="])(
  "of an argument that is repeated, a long word is left out, such as the operator's token %s",
  (token) => {
    expect(withoutArguments(`error: unknown option '--operator-token=${token}'\n`)).not.toContain(token.slice(0, 24));
  },
);

test("an option's name and a short word stay", () => {
  const text = "error: unknown option '--operator-token'\n(Did you mean --operator-token-file?)\n";
  expect(withoutArguments(text)).toBe(text);
  expect(withoutArguments("error: unknown command 'crate'")).toBe("error: unknown command 'crate'");
});
