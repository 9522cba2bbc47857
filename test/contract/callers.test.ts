// promise: audit.pages, operator.twins
import { sharedFederation } from "../harness/federation.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sharedWithRoles } from "../harness/roles.ts";
import { sharedWithWebhooks } from "../harness/webhooks.ts";
import { testRuleCallers } from "./federation-rule.suite.ts";
import { testOperatorCallers } from "./operator-callers.suite.ts";
import { testOrganizationOfTenant } from "./organization.suite.ts";
import { testWebhookCallers } from "./webhook-id.suite.ts";

testOperatorCallers(await sharedLatchkey(), await sharedWithRoles());
testOrganizationOfTenant(await sharedLatchkey());
testWebhookCallers(await sharedWithWebhooks());
testRuleCallers(await sharedFederation());
