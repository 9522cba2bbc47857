import { expect } from "vitest";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { openReceiver, type Receiver } from "../webhooks/receiver.ts";
import type { Answer, JsonObject } from "./http.ts";
import { type Latchkey, newTenant, startLatchkey, testStorage } from "./latchkey.ts";

/** A service that may send to a receiver on the loopback, and its database. */
export interface LatchkeyWithWebhooks extends Latchkey {
  readonly receiver: Receiver;
  readonly database: SqlDatabase;
}

let shared: Promise<LatchkeyWithWebhooks> | undefined;

/** One service for all test files of a worker: use unique tenants. */
export function sharedWithWebhooks(): Promise<LatchkeyWithWebhooks> {
  shared ??= startWithWebhooks();
  return shared;
}

async function startWithWebhooks(): Promise<LatchkeyWithWebhooks> {
  const receiver = await openReceiver();
  const { storage } = await testStorage();
  const database = await openDatabase(storage);
  const latchkey = await startLatchkey({ database, isAlone: true, config: { webhookAllowedHosts: [receiver.host] } });
  return { ...latchkey, receiver, database };
}

/** The webhooks of a tenant, as its dashboard users call for them. */
export interface WebhookCalls {
  readonly tenant: string;
  call(method: string, body: unknown): Promise<Answer>;
  /** The whole response, which must be 200. */
  json(method: string, body: unknown): Promise<JsonObject>;
  create(fields?: object): Promise<{ webhook_id: string; secret: string }>;
}

export const HOOK_URL = "https://hooks.example.com/latchkey";

export function webhooksOf(latchkey: Pick<Latchkey, "call" | "dashboard">, tenant = newTenant()): WebhookCalls {
  const call = async (method: string, body: unknown) =>
    latchkey.call(`/api/v1/webhooks/${method}`, body, await latchkey.dashboard(tenant));
  async function json(method: string, body: unknown): Promise<JsonObject> {
    const answer = await call(method, body);
    expect(answer.status, `${method}: ${answer.text}`).toBe(200);
    return answer.json;
  }
  return {
    tenant,
    call,
    json,
    async create(fields = {}) {
      const { result, secret } = await json("create", { url: HOOK_URL, events: ["*"], ...fields });
      return { webhook_id: result.webhook_id, secret };
    },
  };
}

interface StoredDelivery {
  readonly type: "api_key.revoked" | "api_key.created";
  readonly status: "pending" | "delivered" | "failed";
  readonly attempts: number;
  readonly createdAt: Date;
  readonly body: string | null;
}

/** The next attempts are so far in the future that none is made within a test. */
const LATER = new Date("2100-01-01T00:00:00Z");

/** Stores an event and its delivery to a webhook. Returns the identifiers. */
export async function storeDelivery(
  { database: { db } }: Pick<LatchkeyWithWebhooks, "database">,
  tenant: string,
  webhookId: string,
  fields: Partial<StoredDelivery> = {},
): Promise<{ event_id: string; delivery_id: string }> {
  const { type = "api_key.revoked", status = "delivered", attempts = 1, createdAt = new Date(), body = "{}" } = fields;
  const [eventId, deliveryId] = [newId("evt"), newId("whd")];
  await db
    .insertInto("webhook_events")
    .values({
      ...{ event_id: eventId, tenant_id: tenant, type, subject: "key_1", source: "{}", body, at: createdAt },
      prepared_at: createdAt,
    })
    .execute();
  await storeAnother({ db }, tenant, { webhookId, eventId, deliveryId }, { type, status, attempts, createdAt });
  return { event_id: eventId, delivery_id: deliveryId };
}

/** Stores a delivery of an event that there is. */
export async function storeAnother(
  { db }: Pick<SqlDatabase, "db">,
  tenant: string,
  ids: { readonly webhookId: string; readonly eventId: string; readonly deliveryId: string },
  { type, status, attempts, createdAt }: Omit<StoredDelivery, "body">,
): Promise<void> {
  const isOver = status !== "pending";
  await db
    .insertInto("webhook_deliveries")
    .values({
      ...{ delivery_id: ids.deliveryId, event_id: ids.eventId, webhook_id: ids.webhookId, tenant_id: tenant },
      ...{ type, status, attempts, created_at: createdAt, next_at: isOver ? null : LATER },
      ...(attempts > 0 && {
        last_attempt_at: createdAt,
        last_status: status === "delivered" ? 204 : 503,
        last_duration_ms: 12,
        last_answer: status === "delivered" ? "" : "busy",
      }),
      delivered_at: status === "delivered" ? createdAt : null,
    })
    .execute();
}
