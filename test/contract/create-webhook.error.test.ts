// promise: webhooks.url, webhooks.types
import { describe, expect, test } from "vitest";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import { HOOK_URL, sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();
const VALID = { url: HOOK_URL, events: ["*"] };

describe("a webhook is 400, which names the member,", () => {
  test.each([
    ["without a url", { events: ["*"] }, "url"],
    ["with a url that is none", { ...VALID, url: "hooks" }, "url"],
    ["with a url of more than 2,048 characters", { ...VALID, url: `${HOOK_URL}/${"x".repeat(2_048)}` }, "url"],
    ["with a fragment", { ...VALID, url: `${HOOK_URL}#x` }, "url"],
    ["without events", { url: HOOK_URL }, "events"],
    ["with events that are no list", { ...VALID, events: "api_key.revoked" }, "events"],
    ["with more than 64 events", { ...VALID, events: Array.from({ length: 65 }, () => "run.failed") }, "events"],
    ["with a long description", { ...VALID, description: "x".repeat(1_025) }, "description"],
    ["with an unknown member", { ...VALID, secret: "whsec_x" }, "secret"],
  ])("%s", async (_what, body, field) => {
    expectInvalid(await webhooksOf(latchkey).call("create", body), field);
  });

  test.each([
    ["api_key.revokd", 'did you mean "api_key.revoked"?'],
    ["webhook.test", "is not a type of events"],
    ["zzz", "use one of api_key.created"],
  ])("with the type %s", async (type, says) => {
    const answer = await webhooksOf(latchkey).call("create", { ...VALID, events: ["run.failed", type] });
    expect(answer.json.reason).toBe("unknown_event_type");
    expect(answer.json.message).toContain(says);
    expect([answer.status, answer.json.field]).toEqual([400, "events[1]"]);
  });
});

test("of a tenant's many calls at once 20 make a webhook, and the others say why not", async () => {
  const webhooks = webhooksOf(latchkey);
  const answers = await Promise.all(Array.from({ length: 25 }, () => webhooks.call("create", VALID)));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(5);
  for (const answer of refused) {
    expectFault(answer, 400, "failed_precondition");
    expect(answer.json.reason).toBe("too_many_webhooks");
  }
  const { webhooks: listed } = await webhooks.json("list", {});
  expect(listed).toHaveLength(20);
  await webhooks.json("delete", { webhook_id: listed[0].webhook_id });
  await webhooks.create();
});
