import type { Kysely } from "kysely";
import type { NewOrganization, Organization } from "../../domain/orgs/org.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { OrgStore } from "../../domain/ports/orgs.ts";
import type { SqlDatabase } from "./database.ts";
import { type SqlNow, sqlNow } from "./now.ts";
import type { Schema } from "./schema.ts";
import { translateOutage } from "./sql-errors.ts";

/** Organizations in SQL. `clock` is for tests. */
export function createOrgStore({ db }: SqlDatabase, clock?: Clock): OrgStore {
  const now = sqlNow(clock);
  return {
    insertOrg: (newOrg) =>
      translateOutage(() =>
        db.transaction().execute(async (trx) => {
          const org = await insertOrg(trx, newOrg, now);
          await insertOwner(trx, org);
          return org;
        }),
      ),
  };
}

async function insertOrg(trx: Kysely<Schema>, org: NewOrganization, now: SqlNow): Promise<Organization> {
  const row = await trx
    .insertInto("orgs")
    .values({ org_id: org.orgId, tenant_id: org.tenantId, name: org.name, created_at: now() })
    .returning("created_at")
    .executeTakeFirstOrThrow();
  return { ...org, createdAt: row.created_at };
}

async function insertOwner(trx: Kysely<Schema>, org: Organization): Promise<void> {
  await trx
    .insertInto("org_members")
    .values({ org_id: org.orgId, user_id: org.ownerUserId, role: "owner", created_at: org.createdAt })
    .execute();
}
