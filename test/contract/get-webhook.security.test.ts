import { sharedWithWebhooks } from "../harness/webhooks.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testForeignWebhook, testWebhookCallers } from "./webhook-id.suite.ts";

const latchkey = await sharedWithWebhooks();

testCommonDenials(latchkey, "GetWebhook");
testWebhookCallers(latchkey, "get", true);
testForeignWebhook(latchkey, "get", (webhook_id) => ({ webhook_id }));
