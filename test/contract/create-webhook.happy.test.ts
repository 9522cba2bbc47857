// promise: webhooks.secret, webhooks.types, webhooks.audited
import { expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { HOOK_URL, sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

test("a new webhook is enabled, and its secret has 32 bytes in the form of Standard Webhooks", async () => {
  const webhooks = webhooksOf(latchkey);
  const description = "On-call bot";
  const body = { url: HOOK_URL, events: ["run.failed", "api_key.revoked", "run.failed"], description };
  const { result, secret } = await webhooks.json("create", body);
  expect(result).toEqual({
    webhook_id: expect.stringMatching(/^whk_[0-9a-f]{32}$/),
    url: HOOK_URL,
    events: ["api_key.revoked", "run.failed"],
    description,
    status: "WEBHOOK_STATUS_ENABLED",
    disabled_reason: "",
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    created_by: expect.objectContaining({ kind: "dashboard_user", user_id: "user-1" }),
  });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await webhooks.json("get", { webhook_id: result.webhook_id })).result).toEqual(result);
});

test("an asterisk stands for all types", async () => {
  const { result } = await webhooksOf(latchkey).json("create", { url: HOOK_URL, events: ["run.failed", "*"] });
  expect(result.events).toEqual(["*"]);
});

test("the secrets of webhooks differ", async () => {
  const webhooks = webhooksOf(latchkey);
  expect((await webhooks.create()).secret).not.toBe((await webhooks.create()).secret);
});

test("is in the audit trail, with its url and types", async () => {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id } = await webhooks.create({ events: ["run.failed"] });
  const [event] = await eventsOf(latchkey, webhooks.tenant, { action: "webhook.created" });
  expect(event).toMatchObject({
    target_id: webhook_id,
    changes: { url: { new: HOOK_URL }, events: { new: ["run.failed"] }, status: { new: "enabled" } },
  });
});
