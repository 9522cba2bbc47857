import { expect, test } from "vitest";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();
const { latchkey } = service;

test("a workload's token is in no log line and no event", async () => {
  const employer = await newEmployer(service);
  const { rule_id } = await employer.create();
  const assertion = employer.assertion();
  await employer.json("check", { rule_id, assertion });
  await employer.token(rule_id, assertion);
  const events = await latchkey.call("/api/v1/audit/list", {}, employer.headers);
  const seen = latchkey.logLines.join("") + events.text;
  expect(seen).toContain(rule_id);
  expect(seen).not.toContain(assertion.slice(-40));
});
