// promise: access.scopes, access.metadata
import { describe, expect, test } from "vitest";
import { derivingKey } from "../harness/derived-tokens.ts";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

describe("a token is not derived: 400", () => {
  test.each<[string, object, string, string?]>([
    ["without scopes", { scopes: undefined }, "scopes"],
    ["with no scope", { scopes: [] }, "scopes"],
    ["with 65 scopes", { scopes: Array.from({ length: 65 }, () => "plans:read") }, "scopes"],
    ["with an unknown scope", { scopes: ["plans:read", "plans:reed"] }, "scopes[1]", 'did you mean "plans:read"'],
    ["with an empty scope", { scopes: [""] }, "scopes[0]"],
    ["with a life below a minute", { ttl_seconds: 59 }, "ttl_seconds"],
    ["with a life above an hour", { ttl_seconds: 3_601 }, "ttl_seconds"],
    ["with a life below zero", { ttl_seconds: -900 }, "ttl_seconds"],
    ["for a user of two names", { user_id: "a,b" }, "user_id", "X-On-Behalf-Of"],
    ["for a user of blanks", { user_id: "  " }, "user_id"],
    ["for a user with a line break", { user_id: "a\nb" }, "user_id"],
    ["for a user that is a key", { user_id: `sk_${"a".repeat(36)}` }, "user_id"],
    ["for a user of 257 characters", { user_id: "u".repeat(257) }, "user_id"],
    ["with an audience of blanks", { audience: " " }, "audience"],
    ["with an audience that has a control character", { audience: "a\u0007" }, "audience"],
    ["with an audience of 257 characters", { audience: "a".repeat(257) }, "audience"],
    ["with a thumbprint that is none", { confirmation_jkt: "abc" }, "confirmation_jkt"],
    ["with an unknown member", { scope: "plans:read" }, "scope"],
  ])("%s", async (_what, fields, field, says = "") => {
    const key = await derivingKey(latchkey, { permissions: ["*"] });
    expectInvalid(await key.call({ scopes: ["plans:read"], ...fields }), field, says);
  });

  test("for another user than that of X-On-Behalf-Of", async () => {
    const key = await derivingKey(latchkey, { permissions: ["*"] });
    const answer = await key.call({ scopes: ["plans:read"], user_id: "user-1" }, { "x-on-behalf-of": "user-2" });
    expectInvalid(answer, "user_id", "X-On-Behalf-Of");
  });
});

test("without TOKEN_SECRET and TOKEN_ISSUER the caller reads what its operator must set", async () => {
  const without = await sharedLatchkey({ accessTokens: null });
  const answer = await (await derivingKey(without)).call({ scopes: ["plans:read"] });
  expectFault(answer, 400, "failed_precondition");
  expect(answer.json.reason).toBe("tokens_not_configured");
  expect(answer.json.message).toContain("set TOKEN_SECRET and TOKEN_ISSUER");
});
