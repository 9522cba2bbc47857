// promise: webhooks.url, webhooks.rotation, delivery.same-body, delivery.retries, delivery.bounds, delivery.isolated
// promise: delivery.kept
import type { ServerResponse } from "node:http";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import { RETRY_DELAYS_MS } from "../../src/domain/webhooks/retry.ts";
import type { JsonObject } from "../harness/http.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";
import { startCanary } from "../jwks/provider.ts";
import { type Receiver, startReceiver, verified } from "./receiver.ts";
import { eventOf, newTenant, startWebhookService, type WebhookService } from "./service.ts";

const DAY = 24 * HOUR;

function createKey(service: WebhookService, tenant: string): Promise<JsonObject> {
  return service.call(tenant, "/api/v1/api-keys/create", { name: "a key", permissions: ["plans:read"] });
}

function answering(receiver: Receiver, status: number): void {
  receiver.respond = (_req, res) => void res.writeHead(status).end("an answer");
}

/** The only delivery of a tenant, once it is as expected. */
async function delivery(service: WebhookService, tenant: string, expected: JsonObject): Promise<JsonObject> {
  await expect.poll(async () => (await service.deliveries(tenant))[0], { timeout: 20_000 }).toMatchObject(expected);
  const [only] = await service.deliveries(tenant);
  return only ?? {};
}

async function webhook(service: WebhookService, tenant: string): Promise<JsonObject> {
  const { webhooks } = await service.call(tenant, "/api/v1/webhooks/list", {});
  return webhooks[0];
}

describe("a delivery that fails", () => {
  test("is repeated by the schedule with the same id and body, and then shown as failed", async () => {
    const receiver = await startReceiver();
    answering(receiver, 500);
    const service = await startWebhookService([receiver]);
    service.latchkey.clock.stand();
    const tenant = newTenant();
    await service.addWebhook(tenant, receiver);
    await createKey(service, tenant);
    for (const [failed, delayMs] of RETRY_DELAYS_MS.entries()) {
      const waiting = await delivery(service, tenant, { status: "pending", attempts: failed + 1 });
      expect(waiting).toMatchObject({ last_status: 500, last_answer: "an answer", last_error: null });
      const dueMs = waiting.next_at.getTime() - service.latchkey.clock.now().getTime();
      expect(dueMs).toBeLessThanOrEqual(delayMs);
      expect(receiver.received).toHaveLength(failed + 1);
      service.latchkey.clock.advance(delayMs);
    }
    await delivery(service, tenant, { status: "failed", attempts: 10, next_at: null });
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-timestamp"])).size).toBeGreaterThan(5);
  });

  test("is delivered as soon as the endpoint answers 2xx, which then counts as working", async () => {
    const receiver = await startReceiver();
    answering(receiver, 503);
    const service = await startWebhookService([receiver]);
    service.latchkey.clock.stand();
    const tenant = newTenant();
    await service.addWebhook(tenant, receiver);
    await createKey(service, tenant);
    await delivery(service, tenant, { status: "pending", attempts: 1 });
    expect(await webhook(service, tenant)).toHaveProperty("failing_since");
    answering(receiver, 200);
    service.latchkey.clock.advance(5 * SECOND);
    await delivery(service, tenant, { status: "delivered", attempts: 2, last_status: 200, last_answer: "an answer" });
    expect(await webhook(service, tenant)).not.toHaveProperty("failing_since");
  });
});

describe("a webhook is disabled, with an audit event of the service", () => {
  async function disabling(tenant: string, service: WebhookService): Promise<JsonObject> {
    const { events } = await service.call(tenant, "/api/v1/audit/list", { action: "webhook.disabled" });
    expect(events).toHaveLength(1);
    return events[0];
  }

  test("by the answer 410, and what waits for it is shown as failed", async () => {
    const receiver = await startReceiver();
    answering(receiver, 500);
    const service = await startWebhookService([receiver], { purgeMs: 50 });
    service.latchkey.clock.stand();
    const tenant = newTenant();
    await service.addWebhook(tenant, receiver);
    await createKey(service, tenant);
    await delivery(service, tenant, { status: "pending", attempts: 1 });
    answering(receiver, 410);
    await createKey(service, tenant);
    await expect.poll(() => webhook(service, tenant)).toMatchObject({ disabled_reason: "gone" });
    await expect
      .poll(async () => (await service.deliveries(tenant)).map(({ status }) => status))
      .toEqual(["failed", "failed"]);
    expect(await disabling(tenant, service)).toMatchObject({
      actor: { kind: "service" },
      changes: { status: { old: "enabled", new: "disabled" } },
    });
    expect(receiver.received).toHaveLength(2);
  });

  test("after five days without a success", async () => {
    const receiver = await startReceiver();
    answering(receiver, 500);
    const service = await startWebhookService([receiver]);
    const tenant = newTenant();
    await service.addWebhook(tenant, receiver);
    await createKey(service, tenant);
    await delivery(service, tenant, { status: "pending", attempts: 1 });
    service.latchkey.clock.advance(5 * DAY - HOUR);
    await delivery(service, tenant, { status: "pending", attempts: 2 });
    expect(await webhook(service, tenant)).toMatchObject({ status: "WEBHOOK_STATUS_ENABLED" });
    service.latchkey.clock.advance(HOUR);
    await delivery(service, tenant, { status: "failed", attempts: 3 });
    expect(await webhook(service, tenant)).toMatchObject({ disabled_reason: "failing" });
    await disabling(tenant, service);
  });
});

test("an endpoint that hangs holds four attempts, while 1,000 events reach the tenant's other endpoint and another tenant's", async () => {
  const [dead, alive, others] = [await startReceiver(), await startReceiver(), await startReceiver()];
  dead.respond = () => {};
  const service = await startWebhookService([dead, alive, others]);
  const [tenant, other] = [newTenant(), newTenant()];
  const { webhookId } = await service.addWebhook(tenant, dead);
  await service.addWebhook(tenant, alive);
  await service.addWebhook(other, others);
  // All of the other tenant's come before the last of those 1,000, although they were written later.
  let before = 1_000;
  others.respond = (_req, res) => {
    before = alive.received.length;
    res.end();
  };
  await addEvents(service, tenant, 1_000);
  await addEvents(service, other, 10);
  await expect.poll(() => others.received.length, { timeout: 200_000 }).toBe(10);
  await expect.poll(() => new Set(alive.received.map(({ id }) => id)).size, { timeout: 200_000 }).toBe(1_000);
  expect(before).toBeLessThan(1_000);
  const { rows } = await sql<{ tried: number; waiting: number }>`
    select count(*) filter (where last_attempt_at is not null)::int as tried, count(*)::int as waiting
    from webhook_deliveries where webhook_id = ${webhookId} and status = 'pending'`.execute(service.database.db);
  expect(rows[0]?.waiting).toBe(1_000);
  // Each of the four ends after 10 s, and from then on one is tried at a time.
  expect(rows[0]?.tried).toBeLessThan(100);
}, 300_000);

/** Events of a tenant, as many as a change of many keys would write. */
async function addEvents({ database }: WebhookService, tenant: string, count: number): Promise<void> {
  await sql`
    insert into audit_events (event_id, tenant_id, actor, actor_id, action, target_id, changes, request_id)
    select 'aud_' || ${tenant} || n, ${tenant}, '{"kind": "operator"}', 'operator', 'tenant.suspended', ${tenant}, '{}', ''
    from generate_series(1, cast(${count} as int)) as n`.execute(database.db);
}

test("for 24 hours after a rotation both secrets sign, and then only the new one", async () => {
  const receiver = await startReceiver();
  const service = await startWebhookService([receiver]);
  const tenant = newTenant();
  const { webhookId, secret } = await service.addWebhook(tenant, receiver);
  const rotated = await service.call(tenant, "/api/v1/webhooks/rotate-secret", { webhook_id: webhookId });
  await createKey(service, tenant);
  await expect.poll(() => receiver.received.length).toBe(1);
  for (const received of receiver.received) {
    for (const either of [secret, rotated.secret]) expect(verified(either, received)).toEqual(eventOf(received));
  }
  service.latchkey.clock.advance(24 * HOUR);
  await createKey(service, tenant);
  await expect.poll(() => receiver.received.length).toBe(2);
  const signatures = receiver.received.map(({ headers }) => headers["webhook-signature"]?.split(" ").length);
  expect(signatures).toEqual([2, 1]);
});

// threat: F1
test("a URL that leads to a private address is not connected to, even where it is in the database", async () => {
  const receiver = await startReceiver();
  const canary = await startCanary();
  const service = await startWebhookService([receiver]);
  const tenant = newTenant();
  await service.addWebhook(tenant, receiver);
  const url = `http://127.0.0.1:${canary.port}/`;
  await sql`update webhooks set url = ${url} where tenant_id = ${tenant}`.execute(service.database.db);
  await createKey(service, tenant);
  const failed = await delivery(service, tenant, { status: "pending", attempts: 1, last_status: null });
  expect(failed.last_error).toMatch(/^the URL must/);
  expect(canary.connections).toBe(0);
});

test("two replicas send each event once, and one that stops leaves what it has begun to the other", async () => {
  const receiver = await startReceiver();
  const second = await startWebhookService([receiver]);
  const storage = { kind: "postgres", url: second.databaseUrl } as const;
  const first = await startWebhookService([receiver], { config: { storage } });
  const [tenant, other] = [newTenant(), newTenant()];
  await second.addWebhook(tenant, receiver);
  await second.addWebhook(other, receiver);
  await addEvents(second, tenant, 200);
  const ids = () => receiver.received.map(({ id }) => id);
  await expect.poll(() => new Set(ids()).size, { timeout: 30_000 }).toBe(200);
  expect(ids()).toHaveLength(200);
  const hanging = new Set<ServerResponse>();
  receiver.respond = (_req, res) => void hanging.add(res);
  await addEvents(second, other, 8);
  // Four of each endpoint at once, on both replicas together.
  await expect.poll(() => receiver.received.length).toBe(204);
  await first.latchkey.close();
  receiver.respond = (_req, res) => void res.end();
  for (const res of hanging) res.end();
  await expect
    .poll(async () => (await second.deliveries(other)).map(({ status }) => status), { timeout: 60_000 })
    .toEqual(Array.from({ length: 8 }, () => "delivered"));
}, 120_000);

describe("an erasure", () => {
  test("of a user removes the events that name them, and is one itself", async () => {
    const receiver = await startReceiver();
    answering(receiver, 500);
    const service = await startWebhookService([receiver]);
    const tenant = newTenant();
    await service.addWebhook(tenant, receiver);
    await createKey(service, tenant);
    await delivery(service, tenant, { status: "pending", attempts: 1 });
    await addEvents(service, tenant, 1);
    await expect.poll(() => receiver.received.length).toBe(2);
    const { OPERATOR } = await import("../harness/operator.ts");
    const body = { tenant_id: tenant, user_id: "user-1" };
    const { json } = await service.latchkey.call("/api/v1/operator/users/erase", body, OPERATOR);
    expect(json.result).toMatchObject({ finished: true, removed: { webhook_events: 1, webhooks: 1, key_actors: 1 } });
    await expect
      .poll(async () => (await service.deliveries(tenant)).map(({ type }) => type))
      .toEqual(["tenant.suspended", "user.erased"]);
    expect((await webhook(service, tenant)).created_by).toBeUndefined();
  });

  test("of a tenant removes its webhooks, events and deliveries, and nothing is sent any more", async () => {
    const receiver = await startReceiver();
    answering(receiver, 500);
    const service = await startWebhookService([receiver]);
    const tenant = newTenant();
    await service.addWebhook(tenant, receiver);
    await createKey(service, tenant);
    await delivery(service, tenant, { status: "pending", attempts: 1 });
    const { OPERATOR } = await import("../harness/operator.ts");
    const { json } = await service.latchkey.call("/api/v1/operator/tenants/erase", { tenant_id: tenant }, OPERATOR);
    expect(json.result).toMatchObject({ finished: true, removed: { webhooks: 1, webhook_events: expect.any(Number) } });
    for (const table of ["webhooks", "webhook_events", "webhook_deliveries"]) {
      const { rows } = await sql`select from ${sql.table(table)} where tenant_id = ${tenant}`.execute(
        service.database.db,
      );
      expect(rows, table).toEqual([]);
    }
    service.latchkey.clock.advance(DAY);
    await addEvents(service, newId("ten"), 1);
    expect(receiver.received).toHaveLength(1);
  });
});

test("events and their deliveries are kept for 30 days", async () => {
  const receiver = await startReceiver();
  const service = await startWebhookService([receiver], { purgeMs: 50 });
  const tenant = newTenant();
  await service.addWebhook(tenant, receiver);
  await createKey(service, tenant);
  await delivery(service, tenant, { status: "delivered" });
  service.latchkey.clock.advance(30 * DAY - HOUR);
  await createKey(service, tenant);
  await expect.poll(async () => (await service.deliveries(tenant)).length).toBe(2);
  service.latchkey.clock.advance(2 * HOUR);
  await expect.poll(async () => (await service.deliveries(tenant)).length).toBe(0);
});
