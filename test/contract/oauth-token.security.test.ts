// promise: workloads.checked, workloads.silent
import { describe, expect, test } from "vitest";
import { type Employer, newEmployer, newPlatform, sharedFederation } from "../harness/federation.ts";
import { generateKey } from "../jwks/provider.ts";
import { observable } from "./foreign-key.suite.ts";

const service = await sharedFederation();
const { latchkey } = service;
const DISABLED = "FEDERATION_RULE_STATUS_DISABLED";

/** What a stranger sees of a rule that does not exist. */
async function unknown(employer: Employer) {
  const answer = await employer.exchange(`fed_${"0".repeat(32)}`, employer.assertion());
  expect([answer.status, answer.json.error]).toEqual([400, "invalid_grant"]);
  return observable(answer);
}

describe("the answer is that of an unknown rule for", () => {
  test.each<[string, Record<string, unknown>]>([
    ["another issuer", { iss: "https://other.example" }],
    ["another audience", { aud: "https://other.example" }],
    ["an audience that is no text", { aud: [1] }],
    ["another repository", { repository_id: "43" }],
    ["a repository that is a number", { repository_id: 42 }],
    ["no repository", { repository_id: undefined }],
    ["an expired token", { exp: 1_000 }],
    ["a token without an end", { exp: undefined }],
    ["a token that is valid for a month", { exp: 2_000_000_000 }],
    ["a token of the future", { nbf: 2_000_000_000 }],
  ])("%s", async (_what, claims) => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const answer = await employer.exchange(rule_id, employer.assertion(claims));
    expect(observable(answer)).toEqual(await unknown(employer));
  });

  test("a foreign signature, alg none, a text that is not a token, and one that is too long", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const good = employer.assertion();
    const [, payload] = good.split(".");
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
    const forged = employer.assertion({}, generateKey("ES256", { kid: "workload-key" }));
    for (const each of [forged, none, "x", "a.b.c", `${good}${"A".repeat(17_000)}`]) {
      expect(observable(await employer.exchange(rule_id, each)), each.slice(0, 30)).toEqual(await unknown(employer));
    }
  });

  // threat: D11
  test("a rule that is disabled or deleted, and one whose key is revoked", async () => {
    const [disabled, deleted, revoked] = [
      await newEmployer(service),
      await newEmployer(service),
      await newEmployer(service),
    ];
    const rules = new Map<Employer, string>();
    for (const each of [disabled, deleted, revoked]) rules.set(each, (await each.create()).rule_id);
    await disabled.json("update", { rule_id: rules.get(disabled), status: DISABLED, update_mask: "status" });
    await deleted.json("delete", { rule_id: rules.get(deleted) });
    await latchkey.call("/api/v1/api-keys/revoke", { key_id: revoked.key.key_id }, revoked.headers);
    for (const [employer, ruleId] of rules) {
      expect(observable(await employer.exchange(ruleId, employer.assertion()))).toEqual(await unknown(employer));
    }
  });
});

describe("two tenants with rules for one issuer", () => {
  // threat: D9
  test("are kept apart by their audiences: a token for the one is nothing to the other", async () => {
    const platform = newPlatform(service.keyHost);
    const [one, other] = [await newEmployer(service, { platform }), await newEmployer(service, { platform })];
    const [ofOne, ofOther] = [await one.create(), await other.create()];
    expect((await other.exchange(ofOther.rule_id, one.assertion())).json.error).toBe("invalid_grant");
    expect((await one.exchange(ofOne.rule_id, other.assertion())).json.error).toBe("invalid_grant");
    await one.token(ofOne.rule_id, one.assertion({ aud: [other.audience, one.audience] }));
  });

  test("do not use up each other's tokens", async () => {
    const platform = newPlatform(service.keyHost);
    const [one, other] = [await newEmployer(service, { platform }), await newEmployer(service, { platform })];
    const both = one.assertion({ aud: [one.audience, other.audience] });
    await one.token((await one.create()).rule_id, both);
    await other.token((await other.create()).rule_id, both);
  });
});

describe("a token is exchanged once,", () => {
  test.each([
    ["with an id", {}],
    ["without one", { jti: undefined }],
  ])("%s, also by another rule of the tenant", async (_what, claims) => {
    const employer = await newEmployer(service);
    const [first, second] = [await employer.create(), await employer.create()];
    const assertion = employer.assertion(claims);
    await employer.token(first.rule_id, assertion);
    for (const { rule_id } of [first, second]) {
      expect(observable(await employer.exchange(rule_id, assertion))).toEqual(await unknown(employer));
    }
  });

  // threat: D8
  test("of fifty exchanges at once one", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const assertion = employer.assertion();
    const answers = await Promise.all(Array.from({ length: 50 }, () => employer.exchange(rule_id, assertion)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  // threat: D8
  test("and again with the other signature that ECDSA has for the same text", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const assertion = employer.assertion({ jti: undefined });
    await employer.token(rule_id, assertion);
    expect((await employer.exchange(rule_id, malleated(assertion))).json.error).toBe("invalid_grant");
    // The other signature verifies: it is the use that refuses it.
    expect((await employer.json("check", { rule_id, assertion: malleated(assertion) })).passed).toBe(true);
  });
});

test("a token that is refused is not used up", async () => {
  const employer = await newEmployer(service);
  const [other, right] = [
    await employer.create({ claim_rules: [{ claim: "sub", equals: "other" }] }),
    await employer.create(),
  ];
  const assertion = employer.assertion();
  expect((await employer.exchange(other.rule_id, assertion)).status).toBe(400);
  await employer.token(right.rule_id, assertion);
});

// threat: D11
test("strangers have no keys fetched: a token that is not for the rule is refused before", async () => {
  const employer = await newEmployer(service);
  const { rule_id } = await employer.create({ jwks_url: `${employer.platform.issuer}/keys` });
  const before = employer.platform.fetches();
  for (const claims of [{ aud: "x" }, { iss: "https://other.example" }]) {
    await employer.exchange(rule_id, employer.assertion(claims));
  }
  expect(employer.platform.fetches()).toBe(before);
  await employer.token(rule_id);
  expect(employer.platform.fetches()).toBe(before + 1);
});

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** (r, s) and (r, n - s) verify alike. */
function malleated(token: string): string {
  const [header, payload, signature = ""] = token.split(".");
  const bytes = Buffer.from(signature, "base64url");
  const s = ORDER - BigInt(`0x${bytes.subarray(32).toString("hex")}`);
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
  return `${header}.${payload}.${other.toString("base64url")}`;
}
