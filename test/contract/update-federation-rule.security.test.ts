// promise: workloads.rules
import { expect, test } from "vitest";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();
const { latchkey } = service;

// threat: D13
test("a caller who has less than the rule gives can only disable it", async () => {
  const employer = await newEmployer(service);
  const { rule_id } = await employer.create({ scopes: ["plans:read"] });
  const { key } = await latchkey.createKey(employer.headers, { permissions: ["api_keys:admin"] });
  const update = (body: object) => employer.call("update", { rule_id, ...body }, { "x-api-key": key });
  const off = { status: "FEDERATION_RULE_STATUS_DISABLED", update_mask: "status" };
  const refused = [
    await update({ claim_rules: [{ claim: "sub", equals: "mine" }], update_mask: "claim_rules" }),
    await update({ ...off, name: "x", update_mask: "name,status" }),
    await update({ status: "FEDERATION_RULE_STATUS_ENABLED", update_mask: "status" }),
  ];
  for (const { status, json } of refused) expect([status, json.reason]).toEqual([403, "insufficient_scope"]);
  expect((await update(off)).status).toBe(200);
});
