// promise: dpop.exchange
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { type Employer, EXCHANGE, JWT_TYPE, newEmployer, postForm, sharedFederation } from "../harness/federation.ts";
import { newSender, type ProofParts } from "../harness/proofs.ts";
import { TOKEN_ISSUER } from "../harness/token-settings.ts";

const service = await sharedFederation();
const { latchkey } = service;
const ENDPOINT = `${TOKEN_ISSUER}/oauth/token`;
const VERIFY = "/api/v1/auth/verify";

function nowS(): number {
  return Math.floor(latchkey.clock.now().getTime() / 1_000);
}

/** Exchanges a workload's token with these headers. */
function exchange(ruleId: string, assertion: string, headers: Record<string, string>) {
  const form = { grant_type: EXCHANGE, client_id: ruleId, subject_token: assertion, subject_token_type: JWT_TYPE };
  return postForm(latchkey, form, headers);
}

async function start() {
  const [sender, employer] = await Promise.all([newSender(), newEmployer(service)]);
  const { rule_id } = await employer.create();
  const prove = ({ header = {}, claims = {} }: ProofParts = {}, url = ENDPOINT) =>
    sender.prove("POST", url, undefined, { header, claims: { iat: nowS(), ...claims } });
  return { sender, employer, ruleId: String(rule_id), prove };
}

async function verify(employer: Employer, headers: Record<string, string>) {
  const { status, json } = await latchkey.call(VERIFY, { scope: "conversations:read" }, headers);
  if (status === 200) expect(json.tenant_id).toBe(employer.tenant);
  return status;
}

test("a workload that proves to have a key gets a token that is bound to it", async () => {
  const { sender, employer, ruleId, prove } = await start();
  const { status, json, text } = await exchange(ruleId, employer.assertion(), { dpop: await prove() });
  expect([status, json.token_type], text).toEqual([200, "DPoP"]);
  const token = String(json.access_token);
  expect(decodeJwt(token).cnf).toEqual({ jkt: sender.jkt });
  const proof = await sender.prove("POST", TOKEN_ISSUER + VERIFY, token, { claims: { iat: nowS() } });
  expect(await verify(employer, { authorization: `Bearer ${token}` })).toBe(401);
  expect(await verify(employer, { authorization: `DPoP ${token}`, dpop: proof })).toBe(200);
});

describe("no token is issued, and the assertion is not used up, with a proof", () => {
  test.each<readonly [string, ProofParts, string]>([
    ["for another URL", {}, `${TOKEN_ISSUER}/oauth/other`],
    ["for another host", {}, "https://other.example/oauth/token"],
    ["of another type", { header: { typ: "JWT" } }, ENDPOINT],
    ["that is an hour old", { claims: { iat: nowS() - 3_600 } }, ENDPOINT],
    ["without jti", { claims: { jti: undefined } }, ENDPOINT],
  ])("%s", async (_what, parts, url) => {
    const { employer, ruleId, prove } = await start();
    const assertion = employer.assertion();
    const refused = await exchange(ruleId, assertion, { dpop: await prove(parts, url) });
    expect([refused.status, refused.json.error]).toEqual([400, "invalid_dpop_proof"]);
    expect(refused.json.error_description).toContain("DPoP");
    expect((await exchange(ruleId, assertion, { dpop: await prove() })).status).toBe(200);
  });

  test("that was used before", async () => {
    const { employer, ruleId, prove } = await start();
    const dpop = await prove();
    expect((await exchange(ruleId, employer.assertion(), { dpop })).status).toBe(200);
    const again = await exchange(ruleId, employer.assertion(), { dpop });
    expect([again.status, again.json.error]).toEqual([400, "invalid_dpop_proof"]);
  });

  test("that is empty", async () => {
    const { employer, ruleId } = await start();
    const { status, json } = await exchange(ruleId, employer.assertion(), { dpop: "" });
    expect([status, json.error]).toEqual([400, "invalid_dpop_proof"]);
  });
});

test("the proof of a stranger is neither verified nor used up", async () => {
  const { employer, ruleId, prove } = await start();
  const dpop = await prove();
  for (const proof of [dpop, "no proof"]) {
    const { status, json } = await exchange(ruleId, employer.assertion({ repository_id: "43" }), { dpop: proof });
    expect([status, json.error]).toEqual([400, "invalid_grant"]);
  }
  expect((await exchange(ruleId, employer.assertion(), { dpop })).status).toBe(200);
});
