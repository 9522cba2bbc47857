// promise: workloads.rules
import { describe, expect, test } from "vitest";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";
import { generateKey } from "../jwks/provider.ts";

const service = await sharedFederation();
const { jwk, privateKey } = generateKey("ES256", { kid: "k" });
const PIN = { claim: "sub", equals: "x" };

describe("a rule is 400, which names the member,", () => {
  test.each<[string, object, string, string]>([
    ["without a name", { name: " " }, "name", "is required"],
    ["with a long name", { name: "x".repeat(129) }, "name", ""],
    ["without an issuer", { issuer: "" }, "issuer", "is required"],
    ["with white space in the issuer", { issuer: "https://ci example" }, "issuer", "visible characters"],
    ["with a template of an issuer", { issuer: "https://ci.example/{tenant}" }, "issuer", "template"],
    // threat: D12
    ["with this service as the issuer", { issuer: "https://latchkey.test" }, "issuer", "must not lead to this service"],
    ["with a private jwksUrl", { jwks_url: "https://10.0.0.1/keys" }, "jwks_url", "public host"],
    ["with an http jwksUrl", { jwks_url: "http://ci.example.com/keys" }, "jwks_url", "https"],
    ["without an audience", { audience: " " }, "audience", "is required"],
    ["with a long audience", { audience: "x".repeat(1_025) }, "audience", ""],
    ["without claimRules", { claim_rules: undefined }, "claim_rules", "must have a rule"],
    ["with claimRules that are no list", { claim_rules: {} }, "claim_rules", ""],
    [
      "with an unknown form of a rule",
      { claim_rules: [{ claim: "sub", like: "x" }] },
      "claim_rules",
      "equals and contains",
    ],
    [
      "with rules that pin nothing",
      { claim_rules: [{ claim: "aud", contains: "x" }] },
      "claim_rules",
      "pin the workload",
    ],
    // threat: D16
    [
      "with paths into the audience",
      { claim_rules: [{ claim: "aud.0", equals: "x" }] },
      "claim_rules",
      "pin the workload",
    ],
    ["with 33 rules", { claim_rules: Array.from({ length: 33 }, () => PIN) }, "claim_rules", "at most 32"],
    ["with an unknown key_id", { key_id: "key_x" }, "key_id", "must name an API key of the tenant"],
    ["without scopes", { scopes: [] }, "scopes", "is required"],
    ["with an unknown scope", { scopes: ["conversation:read"] }, "scopes[0]", "conversations:read"],
    ["with a scope that the key lacks", { scopes: ["plans:read", "plans:write"] }, "scopes[1]", "no more than its key"],
    ["with a short life", { ttl_seconds: 59 }, "ttl_seconds", ""],
    ["with a long life", { ttl_seconds: 901 }, "ttl_seconds", ""],
    ["with an unknown member", { claim_rule: [] }, "claim_rule", ""],
    ["with jwks beside jwksUrl", { jwks: { keys: [jwk] }, jwks_url: "https://ci.example.com/keys" }, "jwks", "beside"],
    ["with jwks without keys", { jwks: { keys: [] } }, "jwks", "JWK set"],
    ["with jwks that are no set", { jwks: { key: jwk } }, "jwks", "JWK set"],
    [
      "with a private key in jwks",
      { jwks: { keys: [jwk, privateKey.export({ format: "jwk" })] } },
      "jwks.keys[1]",
      "private",
    ],
    ["with a symmetric key in jwks", { jwks: { keys: [{ kty: "oct", k: "AAAA" }] } }, "jwks.keys[0]", "another kty"],
    ["with 33 keys", { jwks: { keys: Array.from({ length: 33 }, () => jwk) } }, "jwks", "at most 32"],
    ["with long jwks", { jwks: { keys: [jwk], x: "x".repeat(16_384) } }, "jwks", "16384 bytes"],
  ])("%s", async (_what, changes, field, says) => {
    const employer = await newEmployer(service);
    const answer = await employer.call("create", employer.values(changes));
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json.message.split(": ", 1)[0], answer.text).toBe(field);
    expect(answer.json.message).toContain(says);
    expect((await employer.json("list", {})).rules).toEqual([]);
  });

  test("with an issuer whose keys cannot be discovered", async () => {
    const employer = await newEmployer(service);
    const answers = [
      await employer.call("create", employer.values({ issuer: "kubernetes/serviceaccount" })),
      await employer.call("create", employer.values({ issuer: `${employer.platform.issuer}/x` })),
    ];
    for (const { status, json } of answers) {
      expect([status, json.reason, json.field]).toEqual([400, "discovery_failed", "jwks_url"]);
      expect(json.message).toContain("paste the keys into jwks");
    }
  });

  test("with a publishable key, and with one that is revoked", async () => {
    const employer = await newEmployer(service);
    const { keyId } = await service.newApp({ tenant: employer.tenant });
    const publishable = await employer.call("create", employer.values({ key_id: keyId }));
    expect([publishable.status, publishable.json.reason]).toEqual([400, "not_for_key_type"]);
    await service.latchkey.call("/api/v1/api-keys/revoke", { key_id: employer.key.key_id }, employer.headers);
    expectInvalid(await employer.call("create", employer.values()), "key_id", "this one is revoked");
  });
});

test("of a tenant's calls at once only those make a rule that lead to 100, and the others say why not", async () => {
  const employer = await newEmployer(service);
  const values = employer.values({ jwks: employer.platform.jwks });
  // One after the other: they wait for each other, and on a loaded machine the last of a hundred at once waits too long.
  for (let made = 0; made < 90; made++) await employer.json("create", values);
  const answers = await Promise.all(Array.from({ length: 13 }, () => employer.call("create", values)));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(3);
  for (const answer of refused) {
    expectFault(answer, 400, "failed_precondition");
    expect(answer.json.reason).toBe("too_many_rules");
  }
  const { rules } = await employer.json("list", {});
  expect(rules).toHaveLength(100);
  await employer.json("delete", { rule_id: rules[0].rule_id });
  await employer.create();
});
