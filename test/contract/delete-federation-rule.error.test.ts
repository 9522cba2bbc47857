import { test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

test.each([{}, { rule_id: "" }, { rule_id: 5 }])("%j is 400", async (body) => {
  expectInvalid(await (await newEmployer(service)).call("delete", body), "rule_id");
});

test("a deleted rule is 404", async () => {
  const employer = await newEmployer(service);
  const { rule_id } = await employer.create();
  await employer.json("delete", { rule_id });
  expectNotFound(await employer.call("delete", { rule_id }));
});
