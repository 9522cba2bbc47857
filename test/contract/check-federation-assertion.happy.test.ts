// promise: workloads.silent
import { describe, expect, test } from "vitest";
import { newEmployer, sharedFederation } from "../harness/federation.ts";
import { generateKey } from "../jwks/provider.ts";

const service = await sharedFederation();

/** The names of the steps that failed. */
function failed(steps: readonly { name: string; passed: boolean }[]): string[] {
  return steps.filter(({ passed }) => !passed).map(({ name }) => name);
}

describe("the check of a workload's token", () => {
  test("shows each step, uses nothing up and issues nothing", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const assertion = employer.assertion();
    for (let n = 0; n < 2; n++) {
      const { passed, steps } = await employer.json("check", { rule_id, assertion });
      expect([passed, failed(steps)]).toEqual([true, []]);
      expect(steps.map(({ name }: { name: string }) => name)).toEqual([
        ...["status", "key", "scopes", "key_set", "form", "algorithm", "signature", "payload", "token_type", "issuer"],
        ...["audience", "times", "lifetime", "claim_rules"],
      ]);
    }
    await employer.token(rule_id, assertion);
    expect((await employer.json("check", { rule_id, assertion })).passed).toBe(true);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ["another issuer", { iss: "https://other.example" }, ["issuer"]],
    ["another audience", { aud: "sts.amazonaws.com" }, ["audience"]],
    ["another repository", { repository_id: "43" }, ["claim_rules"]],
    ["a life of a month", { exp: 2_000_000_000_000 / 1_000 }, ["lifetime"]],
    ["no end", { exp: undefined }, ["times", "lifetime"]],
  ])("shows %s", async (_what, claims, steps) => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const answer = await employer.json("check", { rule_id, assertion: employer.assertion(claims) });
    expect([answer.passed, failed(answer.steps)]).toEqual([false, steps]);
    expect(JSON.stringify(answer.steps)).not.toMatch(/user token|the key's claimRules/);
  });

  test("shows a foreign signature, a disabled rule and a key that lost its scopes", async () => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const forged = employer.assertion({}, generateKey("ES256", { kid: "workload-key" }));
    expect(failed((await employer.json("check", { rule_id, assertion: forged })).steps)).toEqual(["signature"]);
    const off = { rule_id, status: "FEDERATION_RULE_STATUS_DISABLED", update_mask: "status" };
    await employer.json("update", off);
    const { key_id } = employer.key;
    const less = { key_id, permissions: ["plans:read"], update_mask: "permissions" };
    await service.latchkey.call("/api/v1/api-keys/update", less, employer.headers);
    const { steps } = await employer.json("check", { rule_id, assertion: employer.assertion() });
    expect(failed(steps)).toEqual(["status", "scopes"]);
    await service.latchkey.call("/api/v1/api-keys/revoke", { key_id }, employer.headers);
    const revoked = await employer.json("check", { rule_id, assertion: "x" });
    expect(failed(revoked.steps)).toEqual(["status", "key", "form"]);
  });
});
