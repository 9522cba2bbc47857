// promise: orgs.members, hooks.secret, hooks.users
import { describe, expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { askHook, BEARER_SECRET, SIGNING_SECRET, standardSignature, zitadelSignature } from "../harness/login-hook.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { newOrganization, orgUser } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey({ identityHookSecrets: [BEARER_SECRET, SIGNING_SECRET] });

const { owner, org } = await newOrganization(latchkey);
const BODY = JSON.stringify({ sub: owner.sub });
const now = () => latchkey.clock.now();
const at = (ms: number) => new Date(now().getTime() + ms);

async function expectDenied(headers: Record<string, string>, body = BODY, query = ""): Promise<void> {
  const { status, json } = await askHook(latchkey, body, query, headers);
  expect([status, json.denial_reason]).toEqual([401, "missing_credentials"]);
  expect(json.message).toContain("set the secret at the identity provider");
}

describe("a hook is denied", () => {
  test.each([
    ["without credentials", {}],
    ["with an empty header", { authorization: "" }],
    ["with a scheme alone", { authorization: "Bearer " }],
    ["with a part of a secret", { authorization: `Bearer ${BEARER_SECRET.slice(0, -1)}` }],
    ["with more than a secret", { authorization: `Bearer ${BEARER_SECRET}x` }],
    ["with both secrets at once", { authorization: `Bearer ${BEARER_SECRET},${SIGNING_SECRET}` }],
    ["with a secret as Basic", { authorization: `Basic ${BEARER_SECRET}` }],
    ["with the operator's token", { authorization: `Bearer ${OPERATOR_TOKEN}` }],
    ["with a secret as an API key", { "x-api-key": BEARER_SECRET }],
  ])("%s", (_what, headers: Record<string, string>) => expectDenied(headers));

  test("with a user's token, or an API key with every scope", async () => {
    await expectDenied({ authorization: `Bearer ${await latchkey.dashboardToken({ sub: owner.sub })}` });
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { permissions: ["*"] });
    await expectDenied({ "x-api-key": key });
    await expectDenied({ authorization: `Bearer ${key}` });
  });

  test("with a signature of another body, secret or time, or one that is replayed after 5 minutes", async () => {
    const other = `v1,whsec_${Buffer.from("another").toString("base64")}`;
    for (const headers of [
      standardSignature(`${BODY} `, now()),
      standardSignature(BODY, now(), other),
      { ...standardSignature(BODY, now()), "webhook-id": "msg_2" },
      { ...standardSignature(BODY, now()), "webhook-timestamp": String(Math.floor(now().getTime() / 1_000) + 1) },
      { ...standardSignature(BODY, now()), "webhook-signature": "v1," },
      zitadelSignature(`${BODY} `, now()),
      zitadelSignature(BODY, now(), "another"),
    ]) {
      await expectDenied(headers);
    }
    for (const sign of [standardSignature, zitadelSignature]) {
      for (const ms of [-305_000, 305_000]) await expectDenied(sign(BODY, at(ms)));
    }
  });

  test("before the query and the body are looked at", async () => {
    await expectDenied({}, "{", "?dialect=unknown");
  });
});

test("a signed request that comes again after 5 minutes is denied", async () => {
  const headers = standardSignature(BODY, now());
  expect((await askHook(latchkey, BODY, "", headers)).status).toBe(200);
  latchkey.clock.advance(305_000);
  await expectDenied(headers);
});

test("a user is looked up by the id, never by an address", async () => {
  const stranger = orgUser(latchkey).sub;
  for (const body of [
    { sub: stranger, email: owner.email, email_verified: true, user_id: owner.sub },
    { sub: owner.email },
  ]) {
    expect((await askHook(latchkey, body)).json.tenants).toEqual([]);
  }
  const okta = { data: { context: { user: { id: stranger, profile: { login: owner.email, id: owner.sub } } } } };
  const answer = await askHook(latchkey, okta, "?dialect=okta");
  // A length of a 204 is forbidden (RFC 9110, 8.6): some proxies wait for a body then.
  expect([answer.status, answer.headers.get("content-length")]).toEqual([204, null]);
});

test("one issuer's user is not another's of the same id", async () => {
  const issuer = "https://attacker.example";
  expect((await askHook(latchkey, { sub: owner.sub, issuer })).json.tenant_id).toBe("");
  expect((await askHook(latchkey, { sub: owner.sub })).json.tenant_id).toBe(org.tenant_id);
});

test("the access log names the call and its outcome, and never a secret, a signature or the body", async () => {
  const signed = standardSignature(BODY, now());
  await askHook(latchkey, BODY);
  await askHook(latchkey, BODY, "", signed);
  await askHook(latchkey, BODY, "", { authorization: `Bearer ${BEARER_SECRET}x` });
  const lines = latchkey.logLines.filter((line) => line.includes("identity/claims"));
  expect(lines.length).toBeGreaterThanOrEqual(3);
  const log = latchkey.logLines.join("");
  for (const secret of [BEARER_SECRET, SIGNING_SECRET.slice(9), signed["webhook-signature"] ?? "", owner.sub]) {
    expect(lines.join("")).not.toContain(secret);
    if (secret !== owner.sub) expect(log).not.toContain(secret);
  }
});
