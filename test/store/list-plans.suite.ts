import { randomUUID } from "node:crypto";
import { CompiledQuery, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import type { AuditFilter } from "../../src/domain/audit/audit-trail.ts";
import type { KeyFilter } from "../../src/domain/keys/filter.ts";
import type { RequestFilter } from "../../src/domain/requests/request-log.ts";
import type { TimeCursor } from "../../src/domain/vocabulary/time-cursor.ts";
import type { DeliveryFilter } from "../../src/domain/webhooks/webhook-store.ts";
import { createAccessTokenStore } from "../../src/store/sql/access-tokens/access-token-store.ts";
import { createAuditTrail } from "../../src/store/sql/audit/audit-trail.ts";
import { createConversationStore } from "../../src/store/sql/conversations/conversation-store.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyRetention } from "../../src/store/sql/keys/key-retention.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { migrateToLatest } from "../../src/store/sql/migrations/migrator.ts";
import { createOrgStore } from "../../src/store/sql/orgs/org-store.ts";
import { NO_CACHE } from "../../src/store/sql/replicas/bound-change.ts";
import { createRequestLog } from "../../src/store/sql/requests/request-log.ts";
import { createTenantStore } from "../../src/store/sql/tenants/tenant-store.ts";
import { createUsageStore } from "../../src/store/sql/usage/usage-store.ts";
import { createWebhookStore } from "../../src/store/sql/webhooks/webhook-store.ts";
import { createSecretSealer } from "../../src/store/webhooks/secret-sealer.ts";
import { newRequest } from "../harness/recent-requests.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { insertRows, LARGE } from "./list-rows.ts";
import type { Statement } from "./many-rows.ts";
import { onStatements } from "./sent-statements.ts";

const NOW = new Date("2026-03-01T00:00:00Z");
const PAGE = { page: 1, perPage: 20 };
const NO_REQUEST_FILTER: RequestFilter = {
  ...{ from: null, to: null, keyId: "", tokenId: "", verdict: null, reason: "", requestId: "" },
};
const NO_EVENT_FILTER: AuditFilter = { from: null, to: null, actorId: "", action: "", targetId: "", requestId: "" };
const NO_DELIVERY_FILTER: DeliveryFilter = { webhookId: "", eventId: "", type: "", status: null };

interface Stores {
  readonly keys: ReturnType<typeof createKeyStore>;
  readonly ended: ReturnType<typeof createKeyRetention>;
  readonly audit: ReturnType<typeof createAuditTrail>;
  readonly tenants: ReturnType<typeof createTenantStore>;
  readonly orgs: ReturnType<typeof createOrgStore>;
  readonly conversations: ReturnType<typeof createConversationStore>;
  readonly usage: ReturnType<typeof createUsageStore>;
  readonly requests: ReturnType<typeof createRequestLog>;
  readonly webhooks: ReturnType<typeof createWebhookStore>;
  readonly tokens: ReturnType<typeof createAccessTokenStore>;
}

type Read = (stores: Stores) => Promise<unknown>;

const keys =
  (filter: Partial<KeyFilter>): Read =>
  (stores) =>
    stores.keys.listKeys(LARGE, { status: null, now: NOW, ...filter }, PAGE);
const events =
  (tenantId: string | null, filter: Partial<AuditFilter>): Read =>
  ({ audit }) =>
    audit.listEvents(tenantId, { ...NO_EVENT_FILTER, ...filter }, { after: undefined, perPage: 20 });
const requests =
  (filter: Partial<RequestFilter>): Read =>
  (stores) =>
    stores.requests.listRequests(LARGE, { ...NO_REQUEST_FILTER, ...filter }, { after: undefined, perPage: 20 });
const deliveries =
  (filter: Partial<DeliveryFilter>, after?: TimeCursor, withBody = false): Read =>
  ({ webhooks }) =>
    webhooks.listDeliveries(LARGE, { ...NO_DELIVERY_FILTER, ...filter }, { after, perPage: 20, withBody });
const tokens =
  (keyId: string | null, after?: TimeCursor): Read =>
  (stores) =>
    stores.tokens.listTokens({ tenantId: LARGE, keyId }, { after, perPage: 20 });
const afterARequest: Read = (stores) =>
  stores.requests.listRequests(
    LARGE,
    { ...NO_REQUEST_FILTER, verdict: "denied" },
    { after: { atMs: NOW.getTime(), seq: 5 }, perPage: 20 },
  );
const afterAnEvent: Read = ({ audit }) =>
  audit.listEvents(
    LARGE,
    { ...NO_EVENT_FILTER, action: "api_key.created" },
    { after: { atMs: NOW.getTime(), seq: 5 }, perPage: 20 },
  );

/** Filters that find few of the rows: each list, and the index that serves it. */
const SELECTIVE: readonly (readonly [string, Read, string])[] = [
  ["a tenant's revoked keys", keys({ status: "revoked" }), "api_keys_revoked"],
  ["a tenant's disabled keys", keys({ status: "disabled" }), "api_keys_disabled"],
  ["a tenant's expired keys", keys({ status: "expired" }), "api_keys_by_expiry"],
  ["a tenant's publishable keys", keys({ type: "publishable" }), "api_keys_by_type"],
  ["a tenant's keys of an external id", keys({ externalId: "customer 10" }), "api_keys_by_external_id"],
  ["a tenant's keys by the beginning of the name", keys({ namePrefix: "key ab12" }), "api_keys_by_name"],
  ["a tenant's keys by the beginning of the secret", keys({ secretPrefix: "sk_abc" }), "api_keys_of_tenant_by_prefix"],
  ["a tenant's keys with a scope", keys({ scope: "users:read" }), "api_keys_by_scope"],
  ["a tenant's keys that expire soon", keys({ expiresBefore: new Date("2026-02-03") }), "api_keys_by_"],
  [
    "a tenant's active keys that expire soon",
    keys({ expiresBefore: new Date("2026-02-03"), status: "active" }),
    "api_keys_by_",
  ],
  ["a tenant's leaked keys", keys({ isLeaked: true }), "api_keys_leaked"],
  [
    "all tenants' keys by the beginning",
    (s) => s.keys.searchKeys({ by: "prefix", prefix: "sk_abc12" }, PAGE),
    "api_keys_by_prefix",
  ],
  ["all tenants' keys by the id", (s) => s.keys.searchKeys({ by: "id", keyId: "key_77" }, PAGE), "api_keys_pkey"],
  ["the issuers of a tenant's keys", (s) => s.keys.listIssuers(LARGE), "api_keys_by_type"],
  ["a tenant's events", events(LARGE, {}), "audit_events_of_tenant"],
  [
    "a tenant's events from and to instants",
    events(LARGE, { from: NOW, to: new Date(+NOW + 60_000) }),
    "audit_events_of_tenant",
  ],
  ["a tenant's events of an action", events(LARGE, { action: "api_key.revoked" }), "audit_events_of_tenant_by_action"],
  ["a tenant's events of an action that it has none of", events(LARGE, { action: "org.created" }), "by_action"],
  ["a tenant's events of an actor", events(LARGE, { actorId: "operator" }), "audit_events_of_tenant_by_actor"],
  ["a tenant's events of a target", events(LARGE, { targetId: "key_1000" }), "audit_events_"],
  ["a tenant's events of a request", events(LARGE, { requestId: "req_1000" }), "audit_events_by_request"],
  ["all tenants' events of a request", events(null, { requestId: "req_1000" }), "audit_events_by_request"],
  ["the next page of a tenant's events", afterAnEvent, "audit_events_of_tenant"],
  ["all tenants' events", events(null, {}), "audit_events_by_age"],
  ["all tenants' events of an action", events(null, { action: "tenant.erased" }), "audit_events_by_action"],
  ["all tenants' events of an actor", events(null, { actorId: "user 10" }), "audit_events_by_actor"],
  ["all tenants' events of a target", events(null, { targetId: "key_1000" }), "audit_events_by_target"],
  ["a tenant's recent requests", requests({}), "recent_requests_of_tenant"],
  ["a tenant's denied requests", requests({ verdict: "denied" }), "recent_requests_of_tenant_denied"],
  [
    "a tenant's failed requests, which it has none of",
    requests({ verdict: "failed" }),
    "recent_requests_of_tenant_failed",
  ],
  ["a tenant's admitted requests", requests({ verdict: "admitted" }), "recent_requests_of_tenant"],
  ["the next page of a tenant's denied requests", afterARequest, "recent_requests_of_tenant_denied"],
  ["a tenant's requests of a reason", requests({ reason: "jwt_expired" }), "recent_requests_of_tenant"],
  ["a tenant's requests of a key", requests({ keyId: "key_500" }), "recent_requests_of_key"],
  ["a tenant's requests by id", requests({ requestId: "req_500" }), "recent_requests_by_id"],
  ["a tenant's request to explain", (s) => s.requests.findRequest(LARGE, "req_500"), "recent_requests_by_id"],
  ["any request to explain", (s) => s.requests.findRequest(null, "req_500"), "recent_requests_by_id"],
  [
    "the requests that are too old",
    (s) => s.requests.removeBefore(new Date("2026-02-01T00:00:10Z"), 1_000),
    "recent_requests_pkey",
  ],
  [
    "the requests that a batch leaves in excess",
    (s) => s.requests.addRequests(randomUUID(), [newRequest({ tenantId: LARGE, keyId: "key_500", at: NOW })]),
    "recent_requests_of_key",
  ],
  ["a tenant's deliveries", deliveries({}), "webhook_deliveries_of_tenant"],
  ["a tenant's deliveries with their bodies", deliveries({}, undefined, true), "webhook_deliveries_of_tenant"],
  ["the next page of a tenant's deliveries", deliveries({}, { atMs: +NOW, seq: 5 }), "webhook_deliveries_of_tenant"],
  ["a webhook's deliveries", deliveries({ webhookId: "whk_large_7" }), "webhook_deliveries_of_webhook"],
  [
    "the next page of a webhook's deliveries",
    deliveries({ webhookId: "whk_large_7" }, { atMs: +NOW, seq: 5 }),
    "webhook_deliveries_of_webhook",
  ],
  ["the deliveries of an event", deliveries({ eventId: "evt_400" }), "webhook_deliveries_"],
  ["a tenant's deliveries of a type", deliveries({ type: "api_key.leaked" }), "webhook_deliveries_of_tenant_by_type"],
  [
    "a tenant's deliveries of a type that it has none of",
    deliveries({ type: "run.failed" }),
    "webhook_deliveries_of_tenant_by_type",
  ],
  ["a tenant's failed deliveries", deliveries({ status: "failed" }), "webhook_deliveries_of_tenant_by_status"],
  ["a tenant's pending deliveries", deliveries({ status: "pending" }), "webhook_deliveries_of_tenant_by_status"],
  [
    "a webhook's failed deliveries of a type",
    deliveries({ webhookId: "whk_large_7", type: "api_key.leaked", status: "failed" }),
    "webhook_deliveries_of_webhook_by_status",
  ],
  [
    "a webhook's deliveries to send again",
    (s) =>
      s.webhooks.redeliverSince(
        LARGE,
        "whk_large_7",
        { since: new Date("2026-02-01"), onlyFailed: true },
        { after: undefined, most: 1_000 },
      ),
    "webhook_deliveries_of_webhook_by_status",
  ],
  ["a tenant's tokens", tokens(null), "access_tokens_of_tenant"],
  ["the next page of a tenant's tokens", tokens(null, { atMs: +NOW, seq: 5 }), "access_tokens_of_tenant"],
  ["a key's tokens", tokens("key_500"), "access_tokens_of_key"],
  ["the next page of a key's tokens", tokens("key_500", { atMs: +NOW, seq: 5 }), "access_tokens_of_key"],
  [
    "how many tokens of a key have not expired",
    (s) => s.tokens.hasRoom({ tenantId: LARGE, keyId: "key_500", ruleId: null }),
    "access_tokens_of_source",
  ],
  [
    "the keys that ended long ago",
    (s) => s.ended.removeEndedBefore(new Date("2026-02-02T00:00:00.001Z")),
    "api_keys_by_end",
  ],
  ["the tokens that are too old", (s) => s.tokens.removeOldTokens(), "access_tokens_by_expiry"],
  ["the suspended tenants", (s) => s.tenants.listTenants({ onlySuspended: true }, PAGE), "tenant_counts_pkey"],
  [
    "a user's conversations",
    (s) => s.conversations.listThreads({ kind: "user", tenantId: LARGE, userId: "user 10" }, PAGE),
    "threads_of_user",
  ],
  [
    "a user's organizations",
    (s) => s.orgs.listMemberships({ issuer: "i", userId: "user 10" }, PAGE),
    "org_members_by_user",
  ],
  ["an organization's members", (s) => s.orgs.listMembers("ten_7", PAGE), "org_members_of_org"],
  [
    "an organization's invitations",
    (s) => s.orgs.listInvitations({ orgId: "org_7", tenantId: "ten_7", name: "" }, PAGE),
    "org_invitations_by_org",
  ],
];

const ALL_TENANTS: Read = ({ tenants }) => tenants.listTenants({ onlySuspended: false }, PAGE);

/** Lists of most rows, which are counted in an index. Each with the index. */
const WIDE: readonly (readonly [string, Read, string])[] = [
  ["a tenant's keys", keys({}), "api_keys_of_tenant"],
  ["a tenant's active keys", keys({ status: "active" }), "api_keys_"],
  ["a tenant's secret keys", keys({ type: "secret" }), "api_keys_by_type"],
  ["a tenant's keys with a text", keys({ part: "ab12" }), "api_keys_sought"],
  ["a tenant's unused keys", keys({ lastUsedBefore: NOW }), "api_keys_sought"],
  ["all tenants", ALL_TENANTS, "tenant_counts_in_order"],
  [
    "a tenant's conversations",
    (s) => s.conversations.listThreads({ kind: "tenant", tenantId: LARGE }, PAGE),
    "threads_of_tenant",
  ],
  [
    "a tenant's usage of an hour",
    (s) => s.usage.readTenant(LARGE, { from: NOW, to: new Date(+NOW + 3_600_000), step: "hour" }),
    "key_usage_hours_",
  ],
];

/** Blocks that a selective list may read. */
const BLOCKS_MAX = 5_000;
/** Rows at which it may look. An index in another order than the list's makes it look at all of the tenant's. */
const ROWS_MAX = 9_000;

/** Each filter that a list offers has an index that serves it, with `rows` keys, events, conversations and members. */
export function listPlansSuite(rows: number): void {
  describe(`with ${rows} keys and as many events`, () => {
    const serverUrl = inject("postgresUrl");
    let url: string;
    let database: SqlDatabase;
    let stores: Stores;
    let sent: Statement[] = [];

    beforeAll(async () => {
      url = await copyDatabase(inject("servingTemplate").adminUrl);
      database = await openDatabase({ kind: "postgres", url, poolSize: 2 });
      await migrateToLatest(database);
      await database.withoutTimeLimits(async (db) => {
        for (const statement of insertRows(rows)) await statement.execute(db);
      });
      await database.withoutTimeLimits((db) => sql`vacuum analyze`.execute(db));
      stores = {
        keys: createKeyStore(database),
        ended: createKeyRetention(database),
        audit: createAuditTrail(database),
        tenants: createTenantStore(database),
        orgs: createOrgStore(database),
        conversations: createConversationStore(database),
        usage: createUsageStore(database),
        requests: createRequestLog(database),
        webhooks: createWebhookStore(
          database,
          createSecretSealer(() => []),
        ),
        tokens: createAccessTokenStore(database, NO_CACHE, () => NOW),
      };
      onStatements(url, (statement) => void sent.push(statement));
    }, 600_000);
    afterAll(async () => {
      vi.restoreAllMocks();
      await database?.close();
      await dropDatabase(serverUrl, url);
    });

    async function plansOf(read: Read): Promise<Plan[]> {
      sent = [];
      await read(stores);
      const explained = sent.filter((statement) => !/^(?:begin|commit|set local)\b/i.test(statement.sql));
      return Promise.all(explained.map((statement) => planOf(database, statement)));
    }

    test.each(SELECTIVE)("%s are read by an index alone", async (_, read, index) => {
      const plans = await plansOf(read);
      const nodes = plans.flatMap(nodesOf);
      expect(nodes.map((node) => node["Index Name"] ?? "").join(" ")).toContain(index);
      expect(nodes.filter(isWholeTable)).toEqual([]);
      for (const node of nodes) expect(rowsSeenBy(node)).toBeLessThan(ROWS_MAX);
      for (const plan of plans) expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]).toBeLessThan(BLOCKS_MAX);
    });

    test.each(WIDE)("%s are counted in an index", async (_, read, index) => {
      const nodes = (await plansOf(read)).flatMap(nodesOf);
      expect(nodes.map((node) => node["Index Name"] ?? "").join(" ")).toContain(index);
      expect(nodes.filter(isWholeTable)).toEqual([]);
    });

    test("the tenants are listed without reading a key", async () => {
      const relations = (await plansOf(ALL_TENANTS)).flatMap(nodesOf).map((node) => node["Relation Name"]);
      expect(relations).toContain("tenant_counts");
      expect(relations).not.toContain("api_keys");
    });
  });
}

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly Plans?: readonly Plan[];
}

async function planOf(database: SqlDatabase, statement: Statement): Promise<Plan> {
  const { rows } = await database.db.executeQuery<{ "QUERY PLAN": [{ Plan: Plan }] }>(
    CompiledQuery.raw(`explain (analyze, buffers, timing off, format json) ${statement.sql}`, [
      ...statement.parameters,
    ]),
  );
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  if (plan === undefined) throw new Error("PostgreSQL explained nothing");
  return plan;
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function rowsSeenBy(node: Plan): number {
  return node["Actual Loops"] * (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0));
}

/** Tenants are few beside their keys: each is read once. */
const OF_TENANTS: readonly (string | undefined)[] = ["tenant_suspensions", "orgs", "tenant_counts"];

function isWholeTable(node: Plan): boolean {
  return node["Node Type"].includes("Seq Scan") && !OF_TENANTS.includes(node["Relation Name"]);
}
