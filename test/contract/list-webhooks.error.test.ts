import { test } from "vitest";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

test.each(["page", "status", "webhook_id"])(
  "the member %s is 400: the list has no pages and no filter",
  async (member) => {
    expectInvalid(await webhooksOf(latchkey).call("list", { [member]: 1 }), member);
  },
);
