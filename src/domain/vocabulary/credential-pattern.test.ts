// promise: answers.request-id
import { describe, expect, test } from "vitest";
import { makeSecret } from "../credentials/secret.ts";
import { looksLikeCredential, urlWithoutCredentials } from "./credential-pattern.ts";

const KEY = makeSecret("secret");
const BRANDED = makeSecret("publishable", "acme");
const TOKEN = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJl";

describe("an identifier looks like a credential", () => {
  test.each([
    ["a key", KEY],
    ["a key behind other text", `req${KEY}`],
    ["38 of a key's 39 characters", KEY.slice(0, -1)],
    ["the other 38", KEY.slice(1)],
    ["more of a key than its key_prefix", KEY.slice(0, 13)],
    ["a branded key without its last characters", BRANDED.slice(0, -3)],
    ["a branded key without its first character", BRANDED.slice(1)],
    ["a user's token", TOKEN],
    ["the header of one", TOKEN.split(".")[0] ?? ""],
    ["the payload of one, behind other text", `id-${TOKEN.split(".")[1]}`],
    ["an invitation's token", `inv_${"a1_-".repeat(10)}`],
  ])("%s", (_, id) => {
    expect(looksLikeCredential(id)).toBe(true);
  });

  test.each([
    ["a UUID", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"],
    ["a trace id", "4bf92f3577b34da6a3ce929d0e0e4736"],
    ["our own", "req_0123456789abcdef0123456789abcdef"],
    ["an id whose kind ends like a prefix", "task_01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["a UUID whose kind ends like a prefix", "webhook_0123456789abcdef0123456789abcdef"],
    ["a ksuid", "0ujtsYcgvSTl8PAuAdqWYSMnLOv"],
    ["a key_id", "key_0123456789abcdef0123456789abcdef"],
    ["eyJ alone", "eyJ"],
  ])("but not %s", (_, id) => {
    expect(looksLikeCredential(id)).toBe(false);
  });
});

test.each([KEY, BRANDED, TOKEN])(
  "a URL is without %s, whether it is host, path or query, in any case of letters",
  (secret) => {
    for (const each of [secret, secret.toLowerCase()]) {
      expect(urlWithoutCredentials(`https://${each}/jwks`)).toBe("https://.../jwks");
      expect(urlWithoutCredentials(`https://idp.example/${each}/jwks?key=${each}`)).toBe(
        "https://idp.example/.../jwks?key=...",
      );
    }
  },
);

test("a host's name that has such letters within a word stays", () => {
  const url = "https://monkeyjunglebook-login.example/.well-known/jwks.json";
  expect(urlWithoutCredentials(url)).toBe(url);
});
