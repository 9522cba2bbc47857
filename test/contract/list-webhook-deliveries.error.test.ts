import { describe, expect, test } from "vitest";
import { expectInvalid, expectNotFound } from "../harness/error-answers.ts";
import { sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

describe("a request for the list is 400, which names the member,", () => {
  test.each([
    ["per_page", -1],
    ["page_token", "x"],
    ["status", "PENDING"],
    ["include_body", "yes"],
    ["event_id", "x".repeat(257)],
    ["deliveryId", "x"],
  ])("with the %s %.20j", async (member, value) => {
    expectInvalid(await webhooksOf(latchkey).call("deliveries/list", { [member]: value }), member);
  });

  test("with a type that there is not", async () => {
    const { json } = await webhooksOf(latchkey).call("deliveries/list", { type: "api_key.revokd" });
    expect([json.reason, json.field]).toEqual(["unknown_event_type", "type"]);
  });
});

test("a webhook that does not exist is 404, and an event that does not exist an empty list", async () => {
  const webhooks = webhooksOf(latchkey);
  expectNotFound(await webhooks.call("deliveries/list", { webhook_id: "whk_x" }));
  expect(await webhooks.json("deliveries/list", { event_id: "evt_x" })).toEqual({
    deliveries: [],
    next_page_token: "",
  });
});
