import { sharedFederation } from "../harness/federation.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testRuleCallers } from "./federation-rule.suite.ts";

const service = await sharedFederation();
const { latchkey } = service;

testCommonDenials(latchkey, "ListFederationRules");
testRuleCallers(service, "list");
