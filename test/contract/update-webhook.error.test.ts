import { describe, expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { HOOK_URL, sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

describe("an update is 400, which names the member, and changes nothing", () => {
  test.each([
    [{}, "update_mask", "is required"],
    [{ update_mask: "url,,events" }, "update_mask", "empty entry"],
    [{ update_mask: "secret" }, "update_mask", "cannot be updated"],
    [{ update_mask: "event" }, "update_mask", 'did you mean "events"?'],
    [{ update_mask: "url" }, "url", "must be an absolute https URL"],
    [{ update_mask: "url", url: "https://10.0.0.1/" }, "url", "WEBHOOK_ALLOWED_HOSTS"],
    [{ update_mask: "events" }, "events", "is required"],
    [{ update_mask: "status" }, "status", "WEBHOOK_STATUS_ENABLED"],
    [{ update_mask: "status", status: "ENABLED" }, "status", ""],
    [{ update_mask: "description", description: "x".repeat(1_025) }, "description", ""],
  ])("%.60j", async (body, field, says) => {
    const webhooks = webhooksOf(latchkey);
    const { webhook_id } = await webhooks.create();
    const before = await webhooks.json("get", { webhook_id });
    expectInvalid(await webhooks.call("update", { webhook_id, ...body }), field, says);
    expect(await webhooks.json("get", { webhook_id })).toEqual(before);
  });

  test("without webhook_id", async () => {
    expectInvalid(await webhooksOf(latchkey).call("update", { url: HOOK_URL, update_mask: "url" }), "webhook_id");
  });
});

test("an unknown webhook_id is 404", async () => {
  const body = { webhook_id: "whk_x", url: HOOK_URL, update_mask: "url" };
  expectNotFound(await webhooksOf(latchkey).call("update", body));
});
