import { sharedWithWebhooks } from "../harness/webhooks.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testForeignWebhook, testWebhookCallers } from "./webhook-id.suite.ts";

const latchkey = await sharedWithWebhooks();

testCommonDenials(latchkey, "RotateWebhookSecret");
testWebhookCallers(latchkey, "rotate-secret", false);
testForeignWebhook(latchkey, "rotate-secret", (webhook_id) => ({ webhook_id }));
