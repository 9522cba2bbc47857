import type { Kysely } from "kysely";
import type { Organization } from "../../domain/orgs/org.ts";
import type { OrgStore } from "../../domain/ports.ts";
import type { SqlDatabase } from "./database.ts";
import { guard } from "./errors.ts";
import type { Schema } from "./schema.ts";

export function createOrgStore({ db }: SqlDatabase): OrgStore {
  return {
    insertOrg: (org) =>
      guard(() =>
        db.transaction().execute(async (trx) => {
          await insertOrg(trx, org);
          await insertOwner(trx, org);
        }),
      ),
  };
}

async function insertOrg(trx: Kysely<Schema>, org: Organization): Promise<void> {
  await trx
    .insertInto("orgs")
    .values({ org_id: org.orgId, tenant_id: org.tenantId, name: org.name, created_at: org.createdAt })
    .execute();
}

async function insertOwner(trx: Kysely<Schema>, org: Organization): Promise<void> {
  await trx
    .insertInto("org_members")
    .values({ org_id: org.orgId, user_id: org.ownerUserId, role: "owner", created_at: org.createdAt })
    .execute();
}
