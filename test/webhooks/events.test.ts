// promise: delivery.at-least-once, delivery.body
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { insertEvent } from "../../src/store/sql/audit/audit-rows.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { ACT } from "../harness/act.ts";
import { backendOf } from "../harness/gateway.ts";
import type { JsonObject } from "../harness/http.ts";
import { operatorOf } from "../harness/operator.ts";
import { newKey } from "../store/records.ts";
import { openReceiver, type Receiver, verified } from "./receiver.ts";
import { eventOf, newTenant, openWebhookService } from "./service.ts";

let receiver: Receiver;
let service: Awaited<ReturnType<typeof openWebhookService>>;
let tenant: string;

beforeAll(async () => {
  receiver = await openReceiver();
  service = await openWebhookService([receiver]);
});

afterAll(async () => {
  await service?.close();
  await receiver?.close();
});

beforeEach(() => {
  receiver.received.splice(0);
  tenant = newTenant();
});

/** The events that have come, once there are so many of them. */
async function events(count: number): Promise<JsonObject[]> {
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
  return receiver.received.map(eventOf);
}

const key = (verb: string, body: unknown) => service.call(tenant, `/api/v1/api-keys/${verb}`, body);

async function createKey(fields: object = {}): Promise<JsonObject> {
  return (await key("create", { name: "für CI", permissions: ["plans:read"], ...fields })).result;
}

describe("the changes of a key", () => {
  test("are events with the key as get returns it, signed, in a growing sequence", async () => {
    const { secret } = await service.addWebhook(tenant, receiver);
    const { key_id, key: value } = await createKey({ metadata: { team: "a" }, external_id: "ext-1" });
    await events(1);
    await key("update", { key_id, name: "renamed", update_mask: "name" });
    await events(2);
    await key("disable", { key_id });
    await events(3);
    await key("enable", { key_id });
    await events(4);
    await key("rotate", { key_id, grace_period_hours: 1 });
    await events(5);
    await key("revoke", { key_id });
    const came = await events(6);
    expect(came.map(({ type }) => type)).toEqual([
      "api_key.created",
      "api_key.updated",
      "api_key.disabled",
      "api_key.enabled",
      "api_key.rotated",
      "api_key.revoked",
    ]);
    const sequences = came.map(({ data }) => data.sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    const shown = (await key("get", { key_id })).result;
    const { tenant_id, sequence, ...last } = came[5]?.data ?? {};
    expect(last).toEqual(shown);
    expect(tenant_id).toBe(tenant);
    expect(sequence).toBeGreaterThan(0);
    for (const each of receiver.received) {
      expect(verified(secret, each)).toEqual(eventOf(each));
      expect(each.body).not.toContain(value);
    }
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(6);
  });

  test("are sent to those webhooks of the tenant that are for them, and to no other tenant's", async () => {
    const other = newTenant();
    await service.addWebhook(other, receiver);
    const all = await service.addWebhook(tenant, receiver);
    const some = await service.addWebhook(tenant, receiver, ["api_key.revoked"]);
    const { key_id } = await createKey();
    await key("revoke", { key_id });
    await events(3);
    const deliveries = await service.deliveries(tenant);
    expect(deliveries.map(({ type, webhook_id }) => [type, webhook_id]).toSorted()).toEqual(
      [
        ["api_key.created", all.webhookId],
        ["api_key.revoked", all.webhookId],
        ["api_key.revoked", some.webhookId],
      ].toSorted(),
    );
    expect(await service.deliveries(other)).toEqual([]);
  });

  test("of a tenant without an enabled webhook add no rows to the outbox", async () => {
    await createKey();
    const { webhookId } = await service.addWebhook(tenant, receiver);
    await service.call(tenant, "/api/v1/webhooks/update", {
      webhook_id: webhookId,
      status: "WEBHOOK_STATUS_DISABLED",
      update_mask: "status",
    });
    await createKey();
    expect(await outboxRows()).toBe(0);
  });

  test("that are denied, and changes of webhooks, do not create events", async () => {
    await service.addWebhook(tenant, receiver);
    const viewer = await createKey({ permissions: ["api_keys:read"] });
    await events(1);
    const refused = await service.latchkey.call(
      "/api/v1/webhooks/create",
      { url: receiver.url, events: ["*"] },
      { "x-api-key": viewer.key },
    );
    expect(refused.status).toBe(403);
    await createKey();
    expect((await events(2)).map(({ type }) => type)).toEqual(["api_key.created", "api_key.created"]);
    expect(await outboxRows()).toBe(2);
  });
});

async function outboxRows(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhook_events where tenant_id = ${tenant}`.execute(service.database.db);
  return rows[0]?.count ?? -1;
}

describe("an event is a row of the transaction that made the change", () => {
  test("also where key and audit event are inserted by one statement", async () => {
    await service.addWebhook(tenant, receiver);
    const stored = newKey({ tenantId: tenant });
    await createKeyStore(service.database).insertKey(stored, { ...ACT, action: "api_key.created" });
    const [event] = await events(1);
    expect(event).toMatchObject({ type: "api_key.created", data: { key_id: stored.record.keyId } });
  });

  test("and of one that is rolled back nothing is left", async () => {
    await service.addWebhook(tenant, receiver);
    const failing = service.database.db.transaction().execute(async (trx) => {
      const target = { tenantId: tenant, targetId: newId("key") };
      await insertEvent(trx, { ...ACT, ...target, action: "api_key.created", changes: { name: {} }, refusal: null });
      const { rows } = await sql`select from webhook_events where tenant_id = ${tenant}`.execute(trx);
      expect(rows).toHaveLength(1);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await outboxRows()).toBe(0);
  });
});

test("rules, suspensions and members are events, without an email address", async () => {
  await service.addWebhook(tenant, receiver);
  await service.call(tenant, "/api/v1/api-keys/policy/set", { policy: { max_keys: 5 } });
  const operator = operatorOf(service.latchkey);
  await operator.answer("tenants/suspend", { tenant_id: tenant, reason: "a test" });
  await operator.answer("tenants/resume", { tenant_id: tenant });
  const came = await events(3);
  expect(came.map(({ type, data }) => [type, data.max_keys ?? data.suspended])).toEqual(
    expect.arrayContaining([
      ["key_policy.updated", 5],
      ["tenant.suspended", true],
      ["tenant.resumed", false],
    ]),
  );
});

describe("a run", () => {
  test("that is completed is an event without the text of the conversation", async () => {
    await service.addWebhook(tenant, receiver, ["run.completed", "run.failed"]);
    const backend = await backendOf(service.latchkey, await service.latchkey.dashboard(tenant));
    const { json } = await backend.as("user-7").send("chat-1", "a secret text");
    const [event] = await events(1);
    expect(event).toMatchObject({
      type: "run.completed",
      data: { runId: json.runId, status: "RUN_STATUS_COMPLETED", conversation_key: "chat-1", user_id: "user-7" },
    });
    expect(receiver.received[0]?.body).not.toContain("secret text");
  });
});
