// promise: hooks.secret
import { expect, test } from "vitest";
import { expectFault, expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { toAnswer } from "../harness/http.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { askHook, BEARER_SECRET, HOOK_PATH, HOOK_PAYLOADS, SIGNING_SECRET } from "../harness/login-hook.ts";

const latchkey = await sharedLatchkey({ identityHookSecrets: [BEARER_SECRET, SIGNING_SECRET] });

test.each([...[undefined, "", " ", 5, null, ["u1"], {}], ...["x".repeat(257), "a\u0000", "\ud800"]])(
  "the sub %.20j is 400",
  async (sub) => {
    expectInvalid(await askHook(latchkey, { sub }), "sub", "is required");
  },
);

test.each([5, null, ["https://idp.example"]])("the issuer %j is 400", async (issuer) => {
  expectInvalid(await askHook(latchkey, { sub: "u1", issuer }), "issuer");
});

test.each([
  ["supabase", "user_id"],
  ["okta", "data.context.user.id"],
  ["entra", "data.authenticationContext.user.id"],
  ["hydra", "session.id_token.subject"],
  ["zitadel", "userinfo.sub"],
])("of %s a request without %s is 400, also another provider's", async (dialect, member) => {
  const others = Object.entries(HOOK_PAYLOADS).filter(([name]) => name !== dialect);
  for (const body of [{}, { sub: "u1" }, ...others.map(([, payload]) => payload("u1"))]) {
    expectInvalid(await askHook(latchkey, body, `?dialect=${dialect}`), member);
  }
});

test.each(["", "null", "5", "[]", '"text"', "{", '{"sub":"\\', "{}{}"])("the body %j is 400", async (body) => {
  expectFault(await askHook(latchkey, body), 400, "invalid_argument");
});

test("a body that is not UTF-8 is 400", async () => {
  const response = await fetch(latchkey.url + HOOK_PATH, {
    method: "POST",
    headers: { authorization: `Bearer ${BEARER_SECRET}` },
    body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  });
  expectInvalid(await toAnswer(response), "body");
});

test.each([
  ["?dialect=auth0", "dialect", "supabase, okta, entra, hydra, zitadel"],
  ["?dialect=", "dialect", "supabase, okta, entra, hydra, zitadel"],
  ["?dialect=constructor", "dialect", "supabase, okta, entra, hydra, zitadel"],
  ["?dialekt=okta", "query", "it takes dialect"],
])("the query %s is 400, and what is possible is named", async (query, member, says) => {
  expectInvalid(await askHook(latchkey, { sub: "u1" }, query), member, says);
});

test("a body of more than 1 MiB is 413, and one below it is read", async () => {
  const body = (bytes: number) => JSON.stringify({ sub: "u1", claims: "x".repeat(bytes) });
  expect((await askHook(latchkey, body(1_000_000))).status).toBe(200);
  expectFault(await askHook(latchkey, body(1_048_576)), 413, "resource_exhausted");
});

test.each(["GET", "PUT", "DELETE", "PATCH"])("a %s is 405 and names POST", async (method) => {
  const answer = await toAnswer(await fetch(latchkey.url + HOOK_PATH, { method }));
  expectFault(answer, 405, "unimplemented");
  expect(answer.headers.get("allow")).toBe("POST");
});

test("another path is 404, and so is this one where no secret is configured", async () => {
  for (const path of [`${HOOK_PATH}/`, `${HOOK_PATH}/x`, HOOK_PATH.toUpperCase(), "/identity/claims"]) {
    expectNotFound(await latchkey.call(path, { sub: "u1" }, { authorization: `Bearer ${BEARER_SECRET}` }));
  }
  expectNotFound(await askHook(await sharedLatchkey(), { sub: "u1" }));
});
