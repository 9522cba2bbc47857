// promise: keys.record
import { expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";
import { dashboardOf } from "../harness/key-management.ts";

import { operatorOf } from "../harness/operator.ts";
import { SERVICES } from "../harness/services.ts";
import { SECOND } from "../harness/test-clock.ts";

const service = await sharedFederation();
const { latchkey } = service;

interface Kept {
  readonly tenant: string;
  /** Sends the record's own values. Returns the record. */
  readonly update: (update_mask: string) => Promise<object>;
  readonly record: object;
  /** Of all that differs, the members that an update may name. */
  readonly names: readonly string[];
}

const KEY = { name: "a key", permissions: ["plans:read"], metadata: { plan: "free" }, rate_limit: { burst_size: 1 } };

/** A record for each RPC that updates one with `updated_at`. */
const RECORDS: Readonly<Record<string, () => Promise<Kept>>> = {
  UpdateApiKey: async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey(KEY);
    return {
      tenant: dashboard.tenant,
      update: (update_mask) => dashboard.result("update", { ...KEY, key_id, update_mask }),
      record: await dashboard.result("get", { key_id }),
      names: Object.keys(KEY),
    };
  },
  UpdateTenantKey: async () => {
    const { tenant: tenant_id, createKey, result } = dashboardOf(latchkey);
    const { key_id } = await createKey(KEY);
    return {
      tenant: tenant_id,
      update: (update_mask) => operatorOf(latchkey).result("keys/update", { ...KEY, tenant_id, key_id, update_mask }),
      record: await result("get", { key_id }),
      names: Object.keys(KEY),
    };
  },
  UpdateFederationRule: async () => {
    const employer = await newEmployer(service);
    const values = employer.values({ ttl_seconds: 120, scopes: ["conversations:read", "plans:read"] });
    const record = await employer.create(values);
    const { rule_id, status } = record;
    return {
      tenant: employer.tenant,
      update: async (update_mask) =>
        (await employer.json("update", { ...values, rule_id, status, update_mask })).result,
      record,
      names: [...Object.keys(values), "status"],
    };
  },
};

test("each RPC that updates a dated record is walked", () => {
  const dated = SERVICES.flatMap(({ methods }) => methods).filter(
    ({ name, output }) =>
      name.startsWith("Update") && output.fields.some(({ message }) => message?.field.updatedAt !== undefined),
  );
  expect(dated.map(({ name }) => name).sort()).toEqual(Object.keys(RECORDS).sort());
});

test.each(Object.entries(RECORDS))(
  "%s to the same values leaves updated_at, and the trail",
  async (_name, newRecord) => {
    const { tenant, update, record, names } = await newRecord();
    const before = await eventsOf(latchkey, tenant);
    latchkey.clock.advance(SECOND);
    for (const update_mask of [...names, names.join(",")])
      expect(await update(update_mask), update_mask).toEqual(record);
    expect(await eventsOf(latchkey, tenant)).toEqual(before);
  },
);
