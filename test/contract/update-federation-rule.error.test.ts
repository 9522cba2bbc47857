import { describe, expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

describe("an update is 400, which names the member, and changes nothing", () => {
  test.each([
    [{}, "update_mask", "is required"],
    [{ update_mask: "name,,issuer" }, "update_mask", "empty entry"],
    [{ update_mask: "rule_id" }, "update_mask", "cannot be updated"],
    [{ update_mask: "claim_rules" }, "claim_rules", "must have a rule"],
    [{ update_mask: "name" }, "name", "is required"],
    [{ update_mask: "issuer" }, "issuer", "is required"],
    [{ update_mask: "audience" }, "audience", "is required"],
    [{ update_mask: "claim_rules" }, "claim_rules", "must have a rule"],
    [{ update_mask: "scopes" }, "scopes", "is required"],
    [{ update_mask: "scopes", scopes: ["plans:write"] }, "scopes[0]", "no more than its key"],
    [{ update_mask: "key_id" }, "key_id", "is required"],
    [{ update_mask: "jwks_url", jwks_url: "https://10.0.0.1/" }, "jwks_url", "public host"],
    [{ update_mask: "jwks", jwks: {} }, "jwks", "JWK set"],
    [{ update_mask: "ttl_seconds", ttl_seconds: 901 }, "ttl_seconds", ""],
    [{ update_mask: "status" }, "status", "FEDERATION_RULE_STATUS_ENABLED"],
    [{ update_mask: "status", status: "ENABLED" }, "status", ""],
  ])("%.60j", async (body, field, says) => {
    const employer = await newEmployer(service);
    const { rule_id } = await employer.create();
    const before = await employer.json("get", { rule_id });
    const answer = await employer.call("update", { rule_id, ...body });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json.message.split(": ", 1)[0], answer.text).toBe(field);
    expect(answer.json.message).toContain(says);
    expect(await employer.json("get", { rule_id })).toEqual(before);
  });

  test("without rule_id", async () => {
    expectInvalid(await (await newEmployer(service)).call("update", { name: "x", update_mask: "name" }), "rule_id");
  });
});

test("a deleted rule is 404", async () => {
  const employer = await newEmployer(service);
  const { rule_id } = await employer.create();
  await employer.json("delete", { rule_id });
  expectNotFound(await employer.call("update", { rule_id, name: "x", update_mask: "name" }));
});
