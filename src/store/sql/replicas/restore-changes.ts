import { type Kysely, sql } from "kysely";
import { type Act, CHANGE_LOST, CHANGE_RESTORED } from "../../../domain/audit/event.ts";
import { NOTHING } from "../../../domain/audit/origin.ts";
import { narrowerRule } from "../../../domain/federation/narrower-rule.ts";
import { narrowerRights } from "../../../domain/keys/key-fields.ts";
import type { PromisedState } from "../../../domain/lost-changes/promised-state.ts";
import type { Clock } from "../../../domain/vocabulary/clock.ts";
import { RequestFault } from "../../../domain/vocabulary/request-fault.ts";
import type { Invalidation } from "../../replicas/invalidation.ts";
import type { RestoreChanges, Restored } from "../../replicas/mending.ts";
import type { RecentEvent } from "../../replicas/recent-events.ts";
import { createAccessTokenStore } from "../access-tokens/access-token-store.ts";
import { eventRow } from "../audit/audit-rows.ts";
import type { SqlDatabase } from "../driver/database.ts";
import { translateOutage } from "../driver/sql-errors.ts";
import { createErasureStore } from "../erasures/erasure-store.ts";
import { createRuleStore } from "../federation/rule-store.ts";
import { createKeyStore } from "../keys/key-store.ts";
import { createOrgStore } from "../orgs/org-store.ts";
import type { Schema } from "../schema.ts";
import { createTenantStore } from "../tenants/tenant-store.ts";
import { MadeAlready } from "./bound-change.ts";

/**
 * Makes changes again that a server lacks. Through the stores' own changes, so with their locks and audit events, in one transaction with the ids of the changes: of several
 * processes one makes a change again. No replica is waited for, since each remembers the change or waits for those that do.
 */
export function createRestoreChanges(database: SqlDatabase, clock?: Clock): RestoreChanges {
  return {
    async restore({ changeIds, madeMs, promise }) {
      let outcome: Restored = "nothing";
      const invalidation = promising(changeIds);
      if (promise !== null) {
        const act: Act = { ...BY_SERVICE, requestId: promise.requestId, action: CHANGE_RESTORED };
        const again = makeAgain(database, { invalidation, at: new Date(madeMs), act, clock }, promise.state);
        outcome = await again.then(
          (hasTaken) => (hasTaken ? "restored" : "nothing"),
          (err: unknown) => {
            if (err instanceof MadeAlready) return "already";
            // Its subject is not on this server.
            if (err instanceof RequestFault) return "nothing";
            throw err;
          },
        );
      }
      // Of changes that left nothing to make again, and of targets that are gone.
      const left = await translateOutage(() => insertPromised(database.db, changeIds));
      return outcome === "nothing" && left === 0 && !invalidation.hasBegun ? "already" : outcome;
    },
    list: (lost, had) => translateOutage(() => insertLost(database.db, lost, had)),
  };
}

const BY_SERVICE = { actor: { ...NOTHING, kind: "service" }, address: null, traceId: null } as const;

/** The reason of a suspension is not remembered. */
const SUSPENDED_AGAIN = "suspended again by the service, after PostgreSQL had lost the suspension";

interface Again {
  readonly invalidation: Invalidation;
  readonly at: Date;
  readonly act: Act;
  readonly clock: Clock | undefined;
}

/** Returns whether there was something to take away. */
async function makeAgain(database: SqlDatabase, again: Again, state: PromisedState): Promise<boolean> {
  const { invalidation, act, clock, at } = again;
  switch (state.kind) {
    case "key": {
      let isNarrower = false;
      const { tenantId, keyId, rights } = state;
      const store = createKeyStore(database, invalidation, clock);
      await store.updateKeyUnderLock(
        tenantId,
        keyId,
        (current) => {
          const narrower = narrowerRights(current, rights);
          isNarrower = Object.keys(narrower).length > 0;
          return { patch: isNarrower ? { ...narrower, updatedAt: at } : {} };
        },
        act,
      );
      return isNarrower;
    }
    case "tenant": {
      if (!state.isSuspended) return false;
      await createTenantStore(database, invalidation).setSuspension(state.tenantId, SUSPENDED_AGAIN, act);
      return true;
    }
    case "token": {
      const of = { tenantId: state.tenantId, keyId: null };
      const store = createAccessTokenStore(database, invalidation, clock);
      return (await store.revokeToken(of, state.tokenId, act)) !== undefined;
    }
    case "rule": {
      const { tenantId, ruleId, rule } = state;
      const store = createRuleStore(database, invalidation, clock);
      if (rule === null) return store.deleteRule(tenantId, ruleId, act);
      const current = await store.findRule(tenantId, ruleId);
      const narrower = current === undefined ? {} : narrowerRule(current, rule);
      if (Object.keys(narrower).length === 0) return false;
      return (await store.updateRule(tenantId, ruleId, narrower, act)) !== undefined;
    }
    case "member": {
      const { tenantId, issuer, userId, role } = state;
      const change = role === null ? ({ kind: "remove" } as const) : ({ kind: "role", role } as const);
      const store = createOrgStore(database, invalidation, clock);
      return (await store.changeMember(tenantId, { issuer, userId }, () => change, act)) !== undefined;
    }
    case "erasure":
      await createErasureStore(database, invalidation, clock).begin(state.target, act);
      return true;
    default:
      return state satisfies never;
  }
}

/** Has the change promise these ids, and waits for no replica. `hasBegun`: there was something to change. */
function promising(changeIds: readonly string[]): Invalidation & { hasBegun: boolean } {
  const nothing = async (): Promise<void> => {};
  const invalidation = {
    hasBegun: false,
    async beginChange() {
      invalidation.hasBegun = true;
      return { markId: null, again: changeIds, end: nothing, abandon: nothing };
    },
  };
  return invalidation;
}

/** Returns how many the server lacked. */
async function insertPromised(db: Kysely<Schema>, changeIds: readonly string[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    insert into promised_changes (change_id)
    select cast(id as uuid) from jsonb_array_elements_text(cast(${JSON.stringify(changeIds)} as text)::jsonb) as lost (id)
    on conflict do nothing`.execute(db);
  return Number(numAffectedRows);
}

/** Under the ids of the lost ones, so that one process lists each. */
async function insertLost(db: Kysely<Schema>, events: readonly RecentEvent[], had: ReadonlySet<string>) {
  let listed = 0;
  for (const lost of events) {
    const { eventId, tenantId, action, targetId, requestId } = lost;
    if (had.has(requestId) && (await isRestored(db, lost))) continue;
    const changes = { action: { old: action } };
    const event = { ...BY_SERVICE, requestId, action: CHANGE_LOST, tenantId, targetId, changes, refusal: null };
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto("audit_events")
      .values(eventRow(event, eventId))
      .onConflict((conflict) => conflict.column("event_id").doNothing())
      .executeTakeFirst();
    listed += Number(numInsertedOrUpdatedRows);
  }
  return listed;
}

/** Whether a process has made the changes of the call, or later ones of its target, again since then. */
async function isRestored(db: Kysely<Schema>, { tenantId, targetId, requestId, atMs }: RecentEvent): Promise<boolean> {
  const { rows } = await sql`
    select from audit_events
    where action = ${CHANGE_RESTORED} and at >= ${new Date(atMs)}
      and (request_id = ${requestId} or (tenant_id is not distinct from ${tenantId} and target_id = ${targetId}))
    limit 1`.execute(db);
  return rows.length > 0;
}
