import { expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { newEmployer, sharedFederation } from "../harness/federation.ts";

const service = await sharedFederation();

test("a deleted rule is gone, others stay, and the audit trail has what it was", async () => {
  const employer = await newEmployer(service);
  const [gone, stays] = [await employer.create(), await employer.create()];
  expect(await employer.json("delete", { rule_id: gone.rule_id })).toEqual({});
  expect((await employer.json("list", {})).rules).toEqual([stays]);
  const [event] = await eventsOf(service.latchkey, employer.tenant, { action: "federation.rule_deleted" });
  expect(event).toMatchObject({ target_id: gone.rule_id, changes: { audience: { old: employer.audience } } });
});
