// promise: delivery.notices
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { KeyRecord } from "../../src/domain/credentials/key.ts";
import { newId } from "../../src/domain/vocabulary/ids.ts";
import type { KeyLifecycle, LifecycleCursor, LifecycleKind } from "../../src/domain/webhooks/key-lifecycle.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
import { createKeyStore } from "../../src/store/sql/keys/key-store.ts";
import { createKeyLifecycle } from "../../src/store/sql/webhooks/key-lifecycle.ts";
import { ACT } from "../harness/act.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";
import { newKey } from "../store/records.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const serverUrl = inject("postgresUrl");
let url: string;
let database: SqlDatabase;
/** The time of both replicas. */
let now = new Date();
let replicas: readonly KeyLifecycle[];
let tenantId: string;

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  database = await openDatabase({ kind: "postgres", url });
  replicas = [0, 1].map(() => createKeyLifecycle(database, () => now));
});

afterAll(async () => {
  await database?.close();
  await dropDatabase(serverUrl, url);
});

beforeEach(async () => {
  tenantId = await newTenantWithWebhook();
});

async function newTenantWithWebhook(): Promise<string> {
  const tenant = newId("ten");
  await database.db
    .insertInto("webhooks")
    .values({
      webhook_id: newId("whk"),
      tenant_id: tenant,
      url: "https://hooks.example/",
      events: JSON.stringify(["*"]),
      description: "",
      status: "enabled",
      secret: "whsec_",
    })
    .execute();
  return tenant;
}

function inDays(days: number): Date {
  return new Date(now.getTime() + days * DAY);
}

async function storeKey(fields: Partial<KeyRecord>, ofTenant = tenantId): Promise<string> {
  const key = newKey({ tenantId: ofTenant, createdAt: inDays(-365), ...fields });
  await createKeyStore(database).insertKey(key, ACT);
  return key.record.keyId;
}

/** Looks through the keys of all tenants, on all replicas at once if the next look is due. */
async function look(kind: LifecycleKind): Promise<void> {
  await Promise.all(replicas.map((lifecycle) => pass(lifecycle, kind)));
}

async function pass(lifecycle: KeyLifecycle, kind: LifecycleKind): Promise<boolean> {
  const begun = await lifecycle.beginPass(kind);
  if (begun === undefined) return false;
  for (const tenant of await lifecycle.listTenants("")) {
    let after: LifecycleCursor | "again" | undefined;
    do {
      after = (await lifecycle.writeEvents(begun, tenant, after === "again" ? undefined : after)).next;
    } while (after !== undefined);
  }
  await lifecycle.endPass(begun);
  return true;
}

/** The events of a key in their order. */
async function eventsOf(keyId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ type: string; days: number | null }>`
    select type, (source -> 'details' ->> 'expires_in_days')::int as days
    from webhook_events where subject = ${keyId} and source -> 'details' is not null order by seq`.execute(database.db);
  return rows.map(({ type, days }) => (days === null ? type : `${type} ${days}`));
}

describe("a key that expires", () => {
  test("is warned of 30, 14, 7 and 1 days before, and then expires, each once over replicas and looks", async () => {
    const keyId = await storeKey({ expiresAt: inDays(31) });
    for (let hour = 0; hour < 33 * 24; hour += 12) {
      await look("expiry");
      now = new Date(now.getTime() + 12 * HOUR);
    }
    expect(await eventsOf(keyId)).toEqual([
      "api_key.expiring 30",
      "api_key.expiring 14",
      "api_key.expiring 7",
      "api_key.expiring 1",
      "api_key.expired",
    ]);
  });

  test("is warned of again when its expiry moves", async () => {
    const keyId = await storeKey({ expiresAt: inDays(10) });
    await look("expiry");
    const move = (expiresAt: Date) =>
      createKeyStore(database).updateKeyUnderLock(tenantId, keyId, () => ({ patch: { expiresAt } }), ACT);
    now = new Date(now.getTime() + HOUR);
    await move(inDays(60));
    await look("expiry");
    expect(await eventsOf(keyId)).toEqual(["api_key.expiring 14"]);
    now = inDays(31);
    await look("expiry");
    now = new Date(now.getTime() + HOUR);
    await move(inDays(0.5));
    await look("expiry");
    const warned = (await eventsOf(keyId)).filter((type) => type.startsWith("api_key.expiring"));
    expect(warned).toEqual(["api_key.expiring 14", "api_key.expiring 30", "api_key.expiring 1"]);
  });

  test("is not warned of by a notice that is longer than its life", async () => {
    const keyId = await storeKey({ createdAt: now, expiresAt: inDays(10) });
    await look("expiry");
    expect(await eventsOf(keyId)).toEqual([]);
    now = inDays(3.5);
    await look("expiry");
    expect(await eventsOf(keyId)).toEqual(["api_key.expiring 7"]);
  });

  test("is not an event if it is revoked, disabled, or of a tenant without a webhook", async () => {
    const expiresAt = inDays(5);
    const keys = [
      await storeKey({ expiresAt, revokedAt: now }),
      await storeKey({ expiresAt, disabledAt: now }),
      await storeKey({ expiresAt }, newId("ten")),
    ];
    await look("expiry");
    now = inDays(6);
    await look("expiry");
    for (const keyId of keys) expect(await eventsOf(keyId)).toEqual([]);
  });

  test("while nothing looks is found by the next look", async () => {
    now = new Date(now.getTime() + HOUR);
    const keyId = await storeKey({ expiresAt: inDays(0.5) });
    await look("expiry");
    now = inDays(20);
    await look("expiry");
    expect(await eventsOf(keyId)).toEqual(["api_key.expiring 1", "api_key.expired"]);
  });

  test("is found among more than one look takes at once", async () => {
    const keys = await Promise.all(Array.from({ length: 450 }, () => storeKey({ expiresAt: inDays(5) })));
    now = new Date(now.getTime() + HOUR);
    await look("expiry");
    const { rows } = await sql<{ subject: string }>`
      select subject from webhook_events where tenant_id = ${tenantId} and type = 'api_key.expiring'`.execute(
      database.db,
    );
    expect(rows.map(({ subject }) => subject).toSorted()).toEqual(keys.toSorted());
  });
});

test("of replicas that look at once, one does, and another one goes on where that was killed", async () => {
  now = new Date(now.getTime() + HOUR);
  const [first, second] = replicas;
  const begun = await Promise.all([first?.beginPass("expiry"), second?.beginPass("expiry")]);
  expect(begun.filter((each) => each !== undefined)).toHaveLength(1);
  const keyId = await storeKey({ expiresAt: new Date(now.getTime() + 60_000) });
  now = inDays(1);
  await look("expiry");
  expect(await eventsOf(keyId)).toContain("api_key.expired");
});

describe("a key that is not used", () => {
  async function use(keyId: string, at: Date): Promise<void> {
    await sql`
      insert into key_usage (key_id, total, successful, failed, last_used_at) values (${keyId}, 1, 1, 0, ${at})
      on conflict (key_id) do update set last_used_at = excluded.last_used_at`.execute(database.db);
  }

  test("is unused once after 90 days, and once more after 90 days without another use", async () => {
    const [idle, used] = [await storeKey({ createdAt: inDays(-91) }), await storeKey({ createdAt: inDays(-200) })];
    await use(used, inDays(-80));
    const expired = await storeKey({ createdAt: inDays(-200), expiresAt: inDays(-100) });
    const young = await storeKey({ createdAt: inDays(-89) });
    for (let looks = 0; looks < 5; looks++) {
      await look("unused");
      now = new Date(now.getTime() + 2 * HOUR);
    }
    expect(await Promise.all([idle, used, expired, young].map(eventsOf))).toEqual([["api_key.unused"], [], [], []]);
    now = inDays(11);
    await look("unused");
    expect(await Promise.all([idle, used, young].map(eventsOf))).toEqual([
      ["api_key.unused"],
      ["api_key.unused"],
      ["api_key.unused"],
    ]);
    await use(used, now);
    now = inDays(91);
    await look("unused");
    expect(await eventsOf(used)).toEqual(["api_key.unused", "api_key.unused"]);
    expect(await eventsOf(idle)).toEqual(["api_key.unused"]);
  });

  test("is found among more than one look takes at once", async () => {
    const keys = await Promise.all(Array.from({ length: 450 }, () => storeKey({ createdAt: inDays(-91) })));
    now = new Date(now.getTime() + 2 * HOUR);
    await look("unused");
    const { rows } = await sql`
      select from webhook_events where tenant_id = ${tenantId} and type = 'api_key.unused'`.execute(database.db);
    expect(rows).toHaveLength(keys.length);
  });
});

test("a key that is limited is an event at most once an hour", async () => {
  now = new Date(Math.ceil(now.getTime() / HOUR) * HOUR + 55 * 60_000);
  const keyId = await storeKey({});
  const limited = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  const count = async () => {
    const hour = new Date(Math.floor(now.getTime() / HOUR) * HOUR);
    await sql`
      insert into key_usage_hours (tenant_id, key_id, hour, outcome, count) values (${tenantId}, ${keyId}, ${hour}, 'rate_limited', 1)
      on conflict (key_id, hour, outcome) do update set count = key_usage_hours.count + 1`.execute(database.db);
  };
  await count();
  await look("rate_limited");
  expect(await eventsOf(keyId)).toEqual(["api_key.rate_limited"]);
  // In the next hour by the clock, but not an hour later.
  now = limited(10);
  await count();
  await look("rate_limited");
  expect(await eventsOf(keyId)).toHaveLength(1);
  now = limited(51);
  await look("rate_limited");
  expect(await eventsOf(keyId)).toHaveLength(2);
  now = limited(180);
  await look("rate_limited");
  expect(await eventsOf(keyId)).toHaveLength(2);
});

test("what is needed to write each event once is kept for as long, and then removed", async () => {
  const [idle, expiring] = [
    await storeKey({ createdAt: inDays(-91) }),
    await storeKey({ createdAt: inDays(-40), expiresAt: inDays(29) }),
  ];
  now = new Date(now.getTime() + 2 * HOUR);
  await look("unused");
  await look("expiry");
  now = inDays(28);
  for (const lifecycle of replicas) await lifecycle.removeOld();
  const kept = async (keyId: string) =>
    (await database.db.selectFrom("key_lifecycle_events").select("kind").where("key_id", "=", keyId).execute()).length;
  expect([await kept(idle), await kept(expiring)]).toEqual([1, 1]);
  now = inDays(40);
  while (await replicas[0]?.removeOld());
  expect([await kept(idle), await kept(expiring)]).toEqual([1, 0]);
});
