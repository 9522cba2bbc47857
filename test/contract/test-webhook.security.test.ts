import { sharedWithWebhooks } from "../harness/webhooks.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testForeignWebhook, testWebhookCallers } from "./webhook-id.suite.ts";

const latchkey = await sharedWithWebhooks();

testCommonDenials(latchkey, "TestWebhook");
testWebhookCallers(latchkey, "test", false);
testForeignWebhook(latchkey, "test", (webhook_id) => ({ webhook_id }));
