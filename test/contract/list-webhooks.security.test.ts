import { sharedWithWebhooks } from "../harness/webhooks.ts";
import { testCommonDenials } from "./common-denials.suite.ts";
import { testWebhookCallers } from "./webhook-id.suite.ts";

const latchkey = await sharedWithWebhooks();

testCommonDenials(latchkey, "ListWebhooks");
testWebhookCallers(latchkey, "list", true);
