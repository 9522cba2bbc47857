import { beforeEach } from "vitest";
import { EXAMPLES } from "../../tools/protoc-gen-openapi/examples.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testOperatorCallers } from "./operator-callers.suite.ts";

const latchkey = await sharedLatchkey();
const withRoles = await sharedWithRoles();

// The request of the documentation's example: one that there is. Other tests' requests may push it out of the trail.
beforeEach(async () => {
  const { request_id: id } = EXAMPLES.ExplainAnyRequestRequest ?? {};
  for (const service of [latchkey, withRoles]) {
    await service.call("/api/v1/auth/verify", {}, { "x-request-id": String(id) });
  }
});

testCommonDenials(latchkey, "ExplainAnyRequest");
testOperatorCallers(latchkey, withRoles, "ExplainAnyRequest");
