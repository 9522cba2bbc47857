import { expect, test } from "vitest";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

test("a rule is returned as it was created, to users and to keys", async () => {
  const employer = await newEmployer(service);
  const rule = await employer.create();
  const { key } = await service.latchkey.createKey(employer.headers, { permissions: ["api_keys:admin"] });
  expect((await employer.json("get", { rule_id: rule.rule_id })).result).toEqual(rule);
  const asKey = await employer.call("get", { rule_id: rule.rule_id }, { "x-api-key": key });
  expect(asKey.json.result).toEqual(rule);
});
