// promise: operator.twins
import { sharedFederation } from "../harness/federation.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sharedWithWebhooks } from "../harness/webhooks.ts";
import { testForeignRule } from "./federation-rule.suite.ts";
import { testForeignKey } from "./foreign-key.suite.ts";
import { testTwinTenancy } from "./operator-twin.suite.ts";
import { testForeignWebhook } from "./webhook-id.suite.ts";

testForeignKey(await sharedLatchkey());
testTwinTenancy(await sharedLatchkey());
testForeignWebhook(await sharedWithWebhooks());
testForeignRule(await sharedFederation());
