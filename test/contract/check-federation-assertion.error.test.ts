import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

test.each([
  [{ assertion: "x" }, "rule_id"],
  [{ rule_id: "fed_x" }, "assertion"],
  [{ rule_id: "fed_x", assertion: "x".repeat(16_385) }, "assertion"],
  [{ rule_id: "fed_x", assertion: "x", token: "x" }, "token"],
])("%.60j is 400", async (body, field) => {
  expectInvalid(await (await newEmployer(service)).call("check", body), field);
});
