// promise: oidc.check
import { expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { OIDC } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";

const CHECK = "/api/v1/api-keys/check-oidc";

const latchkey = await sharedLatchkey();
const tenant = newTenant();

const check = async (body: object) => latchkey.call(CHECK, body, await latchkey.dashboard(tenant));

test.each([{}, { oidc: null }, { oidc: OIDC, key_id: "key_x" }, { token: "x.y.z" }])(
  "exactly one of oidc and key_id is required, which %j does not have",
  async (body) => {
    expectInvalid(await check(body), "oidc", "exactly one");
  },
);

test("an unknown key is 404", async () => {
  expectNotFound(await check({ key_id: `key_${"0".repeat(32)}` }));
  expectNotFound(await check({ key_id: "x".repeat(256) }));
});

test("a secret key has no configuration to check", async () => {
  const { key_id } = await latchkey.createKey(await latchkey.dashboard(tenant));
  expectInvalid(await check({ key_id }), "key_id", "publishable key");
});

test("a token of more than 16,384 characters is refused, and not repeated", async () => {
  const answer = await check({ oidc: OIDC, token: "x".repeat(16_385) });
  expectInvalid(answer, "token", "16384");
  expect(answer.text.length).toBeLessThan(500);
});

test("an unknown member is refused, in the configuration, too", async () => {
  expectInvalid(await check({ oidc: { ...OIDC, audiences: [] } }), "oidc.audiences", '"audience"');
  expectInvalid(await check({ oidc: OIDC, jwt: "x" }), "jwt");
});
