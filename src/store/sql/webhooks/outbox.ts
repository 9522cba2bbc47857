import { type Kysely, sql } from "kysely";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import type { Outbox, OutboxBacklog } from "../../../domain/webhooks/outbox.ts";
import type { SecretSealer } from "../../webhooks/secret-sealer.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { SERVICE } from "../driver/list-turns.ts";
import { commitLocally } from "../driver/local-commit.ts";
import { type SqlNow, sqlNow } from "../driver/now.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import type { Schema } from "../schema.ts";
import { claimDeliveries, failDisabled, release, storeOutcome } from "./delivery-queue.ts";
import { claimEvents, storePrepared } from "./event-queue.ts";

/** The outbox in SQL (ADR 51): its rows are the queue, as those of runs are. `clock` is for tests. */
export function createOutbox(database: SqlDatabase, sealer: SecretSealer, clock?: Clock): Outbox {
  const { internal, lists } = database;
  const now = sqlNow(clock);
  // Compiled once: nearly every look finds nothing, and to build the statements of a claim costs more than the server takes.
  const look = LOOK.compile(internal);
  const waiting = async () => (await database.prepared("webhooks_waiting", look))[0];
  return {
    claimEvents: (lease, most) =>
      translateOutage(async () =>
        (await waiting())?.events ? commitLocally(internal, (trx) => claimEvents(trx, lease, most, now)) : [],
      ),
    async storePrepared(leaseToken, prepared) {
      const deliveries = await translateOutage(() =>
        commitLocally(internal, (trx) => storePrepared(trx, leaseToken, prepared, now)),
      );
      if (deliveries > 0) database.notify({ kind: "webhooks" });
      return deliveries;
    },
    claimDeliveries: (lease, places) =>
      translateOutage(async () =>
        (await waiting())?.deliveries
          ? commitLocally(internal, (trx) => claimDeliveries(trx, lease, places, sealer, now))
          : [],
      ),
    storeOutcome: (claimed, answer, outcome) =>
      translateOutage(() => commitLocally(internal, (trx) => storeOutcome(trx, claimed, answer, outcome, now))),
    release: (leaseToken) => translateOutage(() => commitLocally(internal, (trx) => release(trx, leaseToken))),
    failDisabled: () => translateOutage(() => lists(SERVICE, (reader) => commitLocally(reader, failDisabled))),
    removeOld: (days) =>
      translateOutage(() => lists(SERVICE, (reader) => commitLocally(reader, (trx) => removeOld(trx, days, now)))),
    countBacklog: () => translateOutage(() => lists(SERVICE, (reader) => countBacklog(reader, now))),
  };
}

const LOOK = sql<{ events: boolean; deliveries: boolean }>`
  select
    exists (select from webhook_events where prepared_at is null) as events,
    exists (select from webhook_deliveries where status = 'pending') as deliveries`;

const REMOVED_AT_ONCE = 500;

/** The deliveries of an event go with it. */
async function removeOld(db: Kysely<Schema>, days: number, now: SqlNow): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_events where event_id in (
      select event_id from webhook_events where at < ${now()} - cast(${days} as int) * interval '24 hours'
      order by at, seq limit ${sql.lit(REMOVED_AT_ONCE)} for update skip locked
    )`.execute(db);
  return numAffectedRows === BigInt(REMOVED_AT_ONCE);
}

/** The first due delivery of each webhook that does not fail, and the first event that is not prepared. */
async function countBacklog(db: Kysely<Schema>, now: SqlNow): Promise<OutboxBacklog> {
  const { rows } = await sql<{ oldest_seconds: number; disabled: number }>`
    select
      greatest(0, extract(epoch from ${now()} - least(
        (select min(at) from webhook_events where prepared_at is null),
        (
          select min(first.next_at) from webhooks cross join lateral (
            select next_at from webhook_deliveries
            where status = 'pending' and webhook_deliveries.webhook_id = webhooks.webhook_id
            order by next_at, seq limit 1
          ) as first
          where webhooks.status = 'enabled' and failing_since is null
        )
      )))::float8 as oldest_seconds,
      (select count(*) from webhooks where status = 'disabled' and disabled_reason in ('gone', 'failing'))::int as disabled
    `.execute(db);
  const [row] = rows;
  return { oldestSeconds: row?.oldest_seconds ?? 0, disabled: row?.disabled ?? 0 };
}
