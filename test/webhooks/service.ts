import { sql } from "kysely";
import { inject, onTestFinished } from "vitest";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import type { JsonObject } from "../harness/http.ts";
import { type Latchkey, type LatchkeyOptions, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import type { Received, Receiver } from "./receiver.ts";

/** A service on PostgreSQL that may send webhooks to receivers on the loopback, and its database. */
export interface WebhookService {
  readonly latchkey: Latchkey;
  readonly database: SqlDatabase;
  readonly databaseUrl: string;
  /** Calls as a dashboard user of the tenant; throws unless it succeeds. */
  call(tenant: string, path: string, body: unknown): Promise<JsonObject>;
  /** Creates a webhook of a tenant, for all events unless given. */
  addWebhook(tenant: string, receiver: Pick<Receiver, "url">, events?: readonly string[]): Promise<AddedWebhook>;
  /** The deliveries of a tenant, oldest first. */
  deliveries(tenant: string): Promise<readonly JsonObject[]>;
}

export interface AddedWebhook {
  readonly webhookId: string;
  readonly secret: string;
}

export { newTenant };

/**
 * Started for one test, or for those of a file by its `beforeAll`, which then closes it. On a database of its own, unless the
 * configuration has one: then it is another replica.
 */
export async function openWebhookService(receivers: readonly Pick<Receiver, "host">[], options: LatchkeyOptions = {}) {
  const serverUrl = inject("postgresUrl");
  const given = options.config?.storage;
  const databaseUrl = given?.kind === "postgres" ? given.url : await copyDatabase(inject("servingTemplate").adminUrl);
  const latchkey = await startLatchkey({
    webhookPollMs: 50,
    ...options,
    config: {
      storage: { kind: "postgres", url: databaseUrl },
      webhookAllowedHosts: receivers.map(({ host }) => host),
      ...options.config,
    },
  });
  const database = await openDatabase({ kind: "postgres", url: databaseUrl });
  const call = async (tenant: string, path: string, body: unknown): Promise<JsonObject> => {
    const { status, text, json } = await latchkey.call(path, body, await latchkey.dashboard(tenant));
    if (status !== 200) throw new Error(`${path} failed: ${status} ${text}`);
    return json;
  };
  const service: WebhookService = {
    latchkey,
    database,
    databaseUrl,
    call,
    async addWebhook(tenant, { url }, events = ["*"]) {
      const { result, secret } = await call(tenant, "/api/v1/webhooks/create", { url, events });
      return { webhookId: result.webhook_id, secret };
    },
    async deliveries(tenant) {
      const { rows } = await sql<JsonObject>`
        select webhook_deliveries.*, webhook_events.body, webhook_events.subject
        from webhook_deliveries join webhook_events using (event_id)
        where webhook_deliveries.tenant_id = ${tenant} order by webhook_events.seq`.execute(database.db);
      return rows;
    },
  };
  return {
    ...service,
    async close() {
      await database.close();
      await latchkey.close();
      if (given === undefined) await dropDatabase(serverUrl, databaseUrl);
    },
  };
}

/** A service that is closed after the test. */
export async function startWebhookService(
  receivers: readonly Receiver[],
  options: LatchkeyOptions = {},
): Promise<WebhookService> {
  const service = await openWebhookService(receivers, options);
  onTestFinished(service.close);
  return service;
}

/** The event that a receiver got. */
export function eventOf({ body }: Received): JsonObject {
  return JSON.parse(body);
}
