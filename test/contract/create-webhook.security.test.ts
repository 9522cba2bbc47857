// promise: webhooks.secret, webhooks.url
import { describe, expect, test } from "vitest";
import { dashboardOf } from "../harness/key-management.ts";
import { HOOK_URL, sharedWithWebhooks, webhooksOf } from "../harness/webhooks.ts";

const latchkey = await sharedWithWebhooks();

describe("a url that could reach what is not public is 400:", () => {
  test.each([
    "http://hooks.example.com/x",
    "https://127.0.0.1/x",
    "https://localhost/x",
    "https://10.0.0.1/x",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/x",
    "https://[::ffff:10.0.0.1]/x",
    "https://2130706433/x",
    "https://hooks.example.com:8443/x",
    "https://user:password@hooks.example.com/x",
    "ftp://hooks.example.com/x",
  ])("%s", async (url) => {
    const answer = await webhooksOf(latchkey).call("create", { url, events: ["*"] });
    expect([answer.status, answer.json.field]).toEqual([400, "url"]);
  });
});

test("a secret is only in the answers of create and rotate-secret, and in no log line", async () => {
  const webhooks = webhooksOf(latchkey);
  const { webhook_id, secret } = await webhooks.create();
  const rotated = await webhooks.json("rotate-secret", { webhook_id });
  await webhooks.json("update", { webhook_id, description: "x", update_mask: "description" });
  const answers = [
    await webhooks.call("list", {}),
    await webhooks.call("get", { webhook_id }),
    await webhooks.call("deliveries/list", { webhook_id, include_body: true }),
    await latchkey.call("/api/v1/audit/list", {}, await latchkey.dashboard(webhooks.tenant)),
    await webhooks.call("delete", { webhook_id }),
  ];
  const seen = answers.map(({ text }) => text).join("") + latchkey.logLines.join("");
  expect(seen).toContain(webhook_id);
  for (const each of [secret, rotated.secret]) expect(seen).not.toContain(each.slice(6, 30));
});

test("its answer may be kept in no cache", async () => {
  const webhooks = webhooksOf(latchkey);
  const created = await webhooks.call("create", { url: HOOK_URL, events: ["*"] });
  const rotated = await webhooks.call("rotate-secret", { webhook_id: created.json.result.webhook_id });
  for (const { headers } of [created, rotated]) expect(headers.get("cache-control")).toBe("no-store");
});

test("a secret key makes webhooks only of its own tenant, and is named as their maker", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key, key_id } = await dashboard.createKey({ permissions: ["webhooks:write"] });
  const body = { url: HOOK_URL, events: ["api_key.revoked"] };
  const { json } = await latchkey.call("/api/v1/webhooks/create", body, { "x-api-key": key });
  expect(json.result.created_by).toMatchObject({ kind: "secret_key", key_id });
  expect((await webhooksOf(latchkey, dashboard.tenant).json("list", {})).webhooks).toHaveLength(1);
});
