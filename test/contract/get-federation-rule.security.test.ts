import { sharedFederation } from "../harness/federation.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testForeignRule, testRuleCallers } from "./federation-rule.suite.ts";

const service = await sharedFederation();
const { latchkey } = service;

testCommonDenials(latchkey, "GetFederationRule");
testRuleCallers(service, "get");
testForeignRule(service, "get", (rule_id) => ({ rule_id }));
