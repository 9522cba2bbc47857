import { sharedWithWebhooks } from "../harness/webhooks.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testForeignWebhook, testWebhookCallers } from "./webhook-id.suite.ts";

const latchkey = await sharedWithWebhooks();

testCommonDenials(latchkey, "DeleteWebhook");
testWebhookCallers(latchkey, "delete", false);
testForeignWebhook(latchkey, "delete", (webhook_id) => ({ webhook_id }));
