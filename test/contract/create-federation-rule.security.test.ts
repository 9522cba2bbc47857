import { expect, test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

// threat: D12
test("the dashboard's issuer with the dashboard's audience is refused: each of its users would be a workload", async () => {
  const employer = await newEmployer(service);
  const { issuer, audience, document } = service.platform;
  const values = { issuer, jwksUrl: document.url };
  expectInvalid(await employer.call("create", employer.values({ ...values, audience })), "issuer", "dashboard's users");
  await employer.create(values);
});

test("a key of another tenant is an unknown one", async () => {
  const [employer, other] = [await newEmployer(service), await newEmployer(service)];
  const [foreign, unknown] = [
    await employer.call("create", employer.values({ key_id: other.key.key_id })),
    await employer.call("create", employer.values({ key_id: `key_${"0".repeat(32)}` })),
  ];
  expect([foreign.status, foreign.json.message]).toEqual([400, unknown.json.message]);
});
