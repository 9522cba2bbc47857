// promise: audit.pages
import { expect, test } from "vitest";
import { allEvents } from "../harness/audit.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();

test("the operator finds out who revoked a key of any tenant", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  await dashboard.result("revoke", { key_id });
  const [event] = await allEvents(latchkey, { target_id: key_id, action: "api_key.revoked" });
  expect(event).toMatchObject({
    tenant_id: dashboard.tenant,
    actor: { kind: "dashboard_user", user_id: "user-1", issuer: latchkey.provider.issuer },
    target_id: key_id,
  });
});

test("the list has the events of all tenants, or of one", async () => {
  const tenants = [dashboardOf(latchkey), dashboardOf(latchkey)];
  for (const dashboard of tenants) await dashboard.createKey();
  const names = tenants.map(({ tenant }) => tenant);
  const all = await allEvents(latchkey, { per_page: 100 });
  expect(all.map(({ tenant_id }) => tenant_id)).toEqual(expect.arrayContaining(names));
  for (const tenant_id of names) {
    const events = await allEvents(latchkey, { tenant_id });
    expect(events.map((event) => event.tenant_id)).toEqual([tenant_id]);
  }
});

test("its pages have each event once", async () => {
  const dashboard = dashboardOf(latchkey);
  for (let n = 0; n < 5; n++) await dashboard.createKey();
  const seen = [];
  let page_token = "";
  do {
    const body = { tenant_id: dashboard.tenant, per_page: 2, page_token };
    const page = await operatorOf(latchkey).answer("audit/list", body);
    seen.push(...page.events);
    page_token = page.next_page_token;
  } while (page_token !== "");
  expect(new Set(seen.map(({ event_id }) => event_id)).size).toBe(5);
  expect(seen.map(({ action }) => action)).toEqual(Array(5).fill("api_key.created"));
});
