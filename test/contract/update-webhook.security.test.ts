import { sharedWithWebhooks } from "../harness/webhooks.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testForeignWebhook, testWebhookCallers } from "./webhook-id.suite.ts";

const latchkey = await sharedWithWebhooks();

testCommonDenials(latchkey, "UpdateWebhook");
testWebhookCallers(latchkey, "update", false);
testForeignWebhook(latchkey, "update", (webhook_id) => ({ webhook_id, description: "x", update_mask: "description" }));
