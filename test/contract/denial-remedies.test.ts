import { expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const unsigned = (header: object): string => `${part(header)}.${part({ sub: "u" })}.c2ln`;
const signed = (claims: Record<string, unknown>): Promise<string> => latchkey.dashboardToken(claims);

// That the message names a remedy is checked by the harness, of every denial that any test meets.
test.each<[string, () => Promise<string> | string]>([
  ["that is not a JWT", () => "abc"],
  ["whose header demands an extension", () => unsigned({ alg: "RS256", crit: ["exp"] })],
  ["whose header has no alg", () => unsigned({ typ: "JWT" })],
  ["whose kid is a number", () => unsigned({ alg: "RS256", kid: 5 })],
  ["whose nbf is a text", () => signed({ nbf: "soon" })],
  ["whose nbf lies in the future", () => signed({ nbf: 4_102_444_800 })],
  ["whose iat is a text", () => signed({ iat: "now" })],
  ["whose iat lies in the future", () => signed({ iat: 4_102_444_800 })],
  ["whose exp is a text", () => signed({ exp: "never" })],
])("a token %s is denied with a message that says the mistake and the remedy", async (_what, token) => {
  const answer = await latchkey.call("/api/v1/api-keys/list", {}, { authorization: `Bearer ${await token()}` });
  expect([answer.status, answer.json.denial_reason]).toEqual([401, "jwt_malformed"]);
  expect(answer.json.message).toMatch(/^The user token.+; .+\. See \/docs\/errors#jwt_malformed$/);
});

test.each([
  ["of 257 characters", "t".repeat(257)],
  ["with a control character", "a\u0000b"],
  ["of nothing visible", "\u200b"],
  ["that is a number", 5],
])("a tenant_id %s is denied with what a tenant must be", async (_what, tenant_id) => {
  const headers = { authorization: `Bearer ${await signed({ tenant_id })}` };
  const answer = await latchkey.call("/api/v1/api-keys/list", {}, headers);
  expect([answer.status, answer.json.denial_reason]).toEqual([403, "tenant_required"]);
  for (const words of ["claim tenant_id", "a string of 1 to 256 characters", "visible", "control character"]) {
    expect(answer.json.message).toContain(words);
  }
});

test("a malformed Authorization header, or an API key in one, is denied with how to send it", async () => {
  const { key } = await latchkey.createKey(await latchkey.dashboard());
  const misplaced = /holds an API key; send it in X-API-Key/;
  for (const [authorization, says] of [
    ["Basic dTpw", /Basic credentials.*; send Authorization: Bearer/],
    ["Bearer", /without a token.*; send Authorization: Bearer/],
    [`Bearer ${key}`, misplaced],
    [key, misplaced],
    ["pk_live_x", misplaced],
  ] as const) {
    const answer = await latchkey.call("/api/v1/api-keys/list", {}, { authorization });
    expect([answer.status, answer.json.denial_reason]).toEqual([401, "jwt_malformed"]);
    expect(answer.json.message).toMatch(says);
    expect(answer.text).not.toContain(key);
  }
});

test("a user token in X-API-Key is denied with the right header, and not repeated", async () => {
  const token = await signed({});
  for (const sent of [token, `Bearer ${token}`]) {
    const answer = await latchkey.call("/api/v1/api-keys/list", {}, { "x-api-key": sent });
    expect([answer.status, answer.json.denial_reason]).toEqual([401, "api_key_invalid"]);
    expect(answer.json.message).toBe(
      "X-API-Key holds a user token; send it as Authorization: Bearer <USER_JWT>. See /docs/errors#api_key_invalid",
    );
  }
});

test("a token of another issuer without a key is denied with the hint that the app may lack its key", async () => {
  const headers = { authorization: `Bearer ${await signed({ iss: "https://other.example" })}` };
  const answer = await latchkey.call("/api/v1/api-keys/list", {}, headers);
  expect([answer.status, answer.json.denial_reason]).toEqual([401, "jwt_invalid_issuer"]);
  expect(answer.json.message).toContain("for an app's user, send the publishable key in X-API-Key, too");
});
