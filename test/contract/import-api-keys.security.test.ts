// promise: imported.hashes
import { expect, test } from "vitest";
import type { JsonObject } from "../harness/http.ts";
import { createFormat, drawText, importAll, rowOf, sha256 } from "../harness/imports.ts";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { sharedWithRoles } from "../harness/roles.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const [tenant, other] = [newTenant(), newTenant()];
const [dashboard, stranger] = [dashboardOf(latchkey, tenant), dashboardOf(latchkey, other)];
const format = await createFormat(latchkey, { tenants: [tenant] });

const tenantOf = async (text: string) =>
  (await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": text })).json.tenant_id;

// threat: K22
test("who holds a leaked list of hashes cannot import it first into another tenant", async () => {
  const text = drawText(format);
  const { results } = (await stranger.call("import", { keys: [rowOf(format, text)] })).json;
  expect(results[0]).toMatchObject({ status: "REFUSED", field: "hash" });
  await importAll(dashboard, [rowOf(format, text)]);
  expect(await tenantOf(text)).toBe(tenant);
});

// threat: K25
test("a key of another tenant is refused in the words of a key that is too easy to guess, in either order and at once", async () => {
  const [first, second, third] = [drawText(format), drawText(format), drawText(format)] as const;
  const byKey = (text: string) => ({ ...rowOf(format, text), hash: undefined, key: text });
  await importAll(dashboard, [rowOf(format, first)]);
  await importAll(stranger, [byKey(second)]);
  const refusals = [
    (await stranger.call("import", { keys: [byKey(first)] })).json.results[0],
    (await dashboard.call("import", { keys: [byKey(second)] })).json.results[0],
    (await dashboard.call("import", { keys: [byKey(format.prefix + "a".repeat(40))] })).json.results[0],
  ];
  expect(new Set(refusals.map((each: JsonObject) => JSON.stringify(each))).size).toBe(1);
  const atOnce = await Promise.all(
    [dashboard, stranger].map(async (caller) => (await caller.call("import", { keys: [byKey(third)] })).json),
  );
  expect(atOnce.map(({ created, refused }) => [created, refused]).toSorted()).toEqual([
    [0, 1],
    [1, 0],
  ]);
  const winner = atOnce[0]?.created === 1 ? tenant : other;
  expect(await tenantOf(third)).toBe(winner);
});

test("overlapping imports in opposite orders both come to an end, and create each key once", async () => {
  const rows = Array.from({ length: 60 }, () => rowOf(format, drawText(format)));
  const answers = await Promise.all(
    [rows, rows.toReversed(), rows, rows.toReversed()].map((keys) => dashboard.call("import", { keys })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answers.reduce((sum, { json }) => sum + json.created, 0)).toBe(60);
  expect(answers.reduce((sum, { json }) => sum + json.exists, 0)).toBe(180);
});

// threat: K28
test("a row with another tenant's id is refused, and changes nothing there", async () => {
  const text = drawText(format);
  const { results } = (await dashboard.call("import", { keys: [rowOf(format, text, { tenant_id: other })] })).json;
  expect(results[0]).toMatchObject({ status: "REFUSED", field: "tenant_id" });
  expect(await useKey(latchkey, text)).toBe("api_key_not_found");
  await importAll(dashboard, [rowOf(format, text, { tenant_id: tenant })]);
});

// threat: K23
test("a digest that is sent as a key is denied", async () => {
  const hex = await createFormat(latchkey, { prefix: "", length_min: 64, length_max: 64 });
  const text = sha256(drawText(format));
  await importAll(operator, [rowOf(hex, text, { tenant_id: tenant })]);
  expect(await useKey(latchkey, text)).toBe("admitted");
  expect(await useKey(latchkey, sha256(text))).toBe("api_key_not_found");
  await importAll(dashboard, [rowOf(format, drawText(format))]);
});

// threat: K28
test("scopes that the caller may not grant refuse the row", async () => {
  const service = await sharedWithRoles();
  const own = newTenant();
  const reserved = await createFormat(service, { tenants: [own] });
  const keys = [
    rowOf(reserved, drawText(reserved), { permissions: ["tenants:read"] }),
    rowOf(reserved, drawText(reserved)),
  ];
  const { json } = await service.call("/api/v1/api-keys/import", { keys }, await service.user("admin", own));
  expect(json.results[0]).toMatchObject({ status: "REFUSED", reason: "insufficient_scope", field: "permissions[0]" });
  expect(json.results[1].status).toBe("CREATED");
});
