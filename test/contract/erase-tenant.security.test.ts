// promise: erasure.tenant
import { expect, test } from "vitest";
import { backendOf } from "../harness/gateway.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { newMember, newOrganization } from "../harness/organizations.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);

test("another tenant keeps its keys, conversations, members and name, also one with a similar id", async () => {
  const founded = await newOrganization(latchkey);
  const member = await newMember(latchkey, founded, "developer");
  const tenants = [founded.org.tenant_id, founded.org.tenant_id.toUpperCase(), ` ${founded.org.tenant_id}`];
  const kept = await Promise.all(
    tenants.map(async (tenant) => {
      const { key } = await dashboardOf(latchkey, tenant).createKey();
      const { bare } = await backendOf(latchkey, await latchkey.dashboard(tenant));
      await bare.send("c", "kept");
      expect(await bare.texts("c")).toHaveLength(2);
      return { key, bare };
    }),
  );
  const erased = dashboardOf(latchkey);
  await erased.createKey();
  await operator.result("tenants/erase", { tenant_id: erased.tenant });
  const similar = await operator.call("tenants/erase", { tenant_id: founded.org.tenant_id.slice(0, -1) });
  expect(similar.status).toBe(404);
  for (const { key, bare } of kept) {
    expect(await useKey(latchkey, key)).toBe("admitted");
    expect(await bare.texts("c")).toHaveLength(2);
  }
  expect((await member.call("get")).json.result.name).toBe("Acme");
  expect((await member.call("members/list")).json.members).toHaveLength(2);
});

test("neither the response nor a log line has a text, a name or an email address of the tenant", async () => {
  const founded = await newOrganization(latchkey);
  const tenant = founded.org.tenant_id;
  const { key } = await dashboardOf(latchkey, tenant).createKey({ name: "named by a person" });
  const { bare } = await backendOf(latchkey, await latchkey.dashboard(tenant));
  await bare.send("c", "written by a person");
  const logged = latchkey.logLines.length;
  const { text } = await operator.call("tenants/erase", { tenant_id: tenant });
  const seen = text + latchkey.logLines.slice(logged).join("");
  for (const secret of ["named by a person", "written by a person", founded.owner.email, key]) {
    expect(seen).not.toContain(secret);
  }
});
