import { sharedFederation } from "../harness/federation.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testRuleCallers } from "./federation-rule.suite.ts";

const service = await sharedFederation();

testCommonDenials(service.latchkey, "ListFederationRules");
testRuleCallers(service, "list");
