import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import type { Answer } from "../harness/http.ts";
import { type KeyHost, startKeyHost } from "../harness/key-host.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { bearer } from "../harness/publishable.ts";
import { generateKey, signToken } from "../jwks/provider.ts";

const SIGNER = generateKey("ES256", { kid: "k" });
const VERIFY = "/api/v1/auth/verify";
const TENANT = newTenant();

let keyHost: KeyHost;
let latchkey: Latchkey;

beforeAll(async () => {
  keyHost = await startKeyHost();
  const { dashboard } = readConfig({
    OIDC_ISSUER: "https://idp.example",
    OIDC_JWKS_URL: keyHost.document(SIGNER.jwk).url,
    OIDC_AUDIENCE: "console",
    OIDC_USER_ID_CLAIM: "account.id",
    OIDC_REQUIRED_CLAIMS: '{"acr": "hunter2", "org.plan": "pro", "https://x.example/region": "eu"}',
  });
  latchkey = await startLatchkey({ config: { dashboard } });
});

afterAll(async () => {
  await latchkey.close();
  await keyHost.close();
});

/** A token with everything that the operator asks for, and changes. */
function token(changes: Record<string, unknown> = {}): string {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = {
    ...{ iss: "https://idp.example", aud: "console", sub: "pairwise", tenant_id: TENANT, iat, exp: iat + 3_600 },
    ...{ acr: "hunter2", org: { plan: "pro" }, "https://x.example/region": "eu", account: { id: "user_7" } },
    ...changes,
  };
  return signToken(SIGNER, claims);
}

const verify = (changes?: Record<string, unknown>) => latchkey.call(VERIFY, {}, bearer(token(changes)));

function expectDenied({ status, json, text }: Answer, reason: string, ...says: string[]): void {
  expect([status, json.denial_reason]).toEqual([401, reason]);
  for (const word of says) expect(json.message).toContain(word);
  expect(text).not.toContain("hunter2");
}

describe("a dashboard user's token with what the operator requires", () => {
  test("is accepted, and the user is the one of the claim that the operator names", async () => {
    const { json } = await verify();
    expect(json).toMatchObject({ user_id: "user_7", tenant_id: TENANT });
  });

  test.each<[string, string, Record<string, unknown>]>([
    ["none", "acr", { acr: undefined }],
    ["another value", "acr", { acr: "pwd" }],
    ["another case", "acr", { acr: "HUNTER2" }],
    ["a list with the value", "acr", { acr: ["hunter2"] }],
    ["null", "acr", { acr: null }],
    ["none, at a path", "org.plan", { org: {} }],
    ["another value, at a path", "org.plan", { org: { plan: "free" } }],
    ["the literal name first", "org.plan", { "org.plan": "free" }],
    ["another value, of a name with dots", "https://x.example/region", { "https://x.example/region": "us" }],
  ])("is jwt_malformed, naming the claim, with %s of %s", async (_what, claim, changes) => {
    for (const path of [VERIFY, "/api/v1/api-keys/list", "/api/v1/orgs/create"]) {
      const answer = await latchkey.call(path, { name: "Acme" }, bearer(token(changes)));
      expectDenied(answer, "jwt_malformed", `the required claim ${claim}`, "that the operator requires");
    }
    expect((await verify()).status).toBe(200);
  });

  test.each<[string, Record<string, unknown>]>([
    ["no object", { account: undefined }],
    ["no id", { account: {} }],
    ["a number", { account: { id: 7 } }],
    ["an empty text", { account: { id: "" } }],
    ["a text without a visible character", { account: { id: " \u200b" } }],
    ["a text of 257 characters", { account: { id: "u".repeat(257) } }],
  ])("is user_id_claim_not_found with %s in the user's claim: sub does not take its place", async (_what, changes) => {
    expectDenied(await verify(changes), "user_id_claim_not_found", "account.id");
  });

  test("may be without sub", async () => {
    expect((await verify({ sub: undefined })).json).toMatchObject({ user_id: "user_7" });
  });
});

test("what the operator requires of dashboard users is not required of keys", async () => {
  const { key } = await latchkey.createKey(bearer(token()));
  expect((await latchkey.call(VERIFY, {}, { "x-api-key": key })).status).toBe(200);
});

test("the values that are required are never in the log", () => {
  expect(latchkey.logLines.length).toBeGreaterThan(0);
  expect(latchkey.logLines.join()).not.toContain("hunter2");
});
