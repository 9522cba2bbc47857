// promise: imported.rows
import { expect, test } from "vitest";
import { createFormat, drawText, importAll, rowOf, sha256 } from "../harness/imports.ts";
import { dashboardOf, instant, useKey } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { HOUR } from "../harness/test-clock.ts";

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const tenant = newTenant();
const dashboard = dashboardOf(latchkey, tenant);
const format = await createFormat(latchkey, { tenants: [tenant] });

test("keys are admitted as soon as the call is answered, by the text that their holders have", async () => {
  const texts = Array.from({ length: 50 }, () => drawText(format));
  for (const text of texts) expect(await useKey(latchkey, text)).toBe("api_key_not_found");
  await importAll(
    dashboard,
    texts.map((text) => rowOf(format, text)),
  );
  for (const text of texts) expect(await useKey(latchkey, text)).toBe("admitted");
});

test("a key has all that its row says, and says where it comes from", async () => {
  const text = drawText(format);
  const fields = {
    name: "ci",
    description: "of the old system",
    permissions: ["conversations:read", "plans:*"],
    rate_limit: { requests_per_minute: 5, requests_per_hour: 50, burst_size: 7 },
    expires_at: instant(latchkey, HOUR),
    created_at: "2024-05-06T07:08:09.123Z",
    external_id: "customer-7",
    metadata: { plan: "pro", seats: 1e300 },
    allowed_ips: ["127.0.0.1", "2001:db8::/32"],
  };
  const [key_id] = await importAll(dashboard, [rowOf(format, text, { ...fields, key_prefix: "imp-" })]);
  const record = await dashboard.result("get", { key_id });
  expect(record).toMatchObject({
    ...{ ...fields, key_id, key_prefix: "imp-", keyType: "KEY_TYPE_SECRET", status: "KEY_STATUS_ACTIVE" },
    ...{ imported: true, key_format: format.key_format, created_by: { kind: "dashboard_user" } },
  });
  const made = await dashboard.createKey();
  expect(await dashboard.result("get", { key_id: made.key_id })).not.toHaveProperty("imported");
});

test("a key that is sent itself is hashed, and shows its format's prefix and four characters", async () => {
  const text = drawText(format);
  const row = rowOf(format, text, { hash: undefined, key: text, key_format: "" });
  const [key_id] = await importAll(dashboard, [row]);
  expect((await dashboard.result("get", { key_id })).key_prefix).toBe(text.slice(0, 12));
  expect(await useKey(latchkey, text)).toBe("admitted");
});

test("importing again changes nothing, and says which key it is", async () => {
  const text = drawText(format);
  const [key_id] = await importAll(dashboard, [rowOf(format, text)]);
  const again = await dashboard.call("import", { keys: [rowOf(format, text, { name: "other" })] });
  expect(again.json).toMatchObject({ created: 0, exists: 1, results: [{ index: 0, status: "EXISTS", key_id }] });
  expect((await dashboard.result("get", { key_id })).name).toBe("imported");
  const twice = rowOf(format, drawText(format));
  const { results } = (await dashboard.call("import", { keys: [twice, twice] })).json;
  expect(results.map(({ status }: { status: string }) => status)).toEqual(["CREATED", "EXISTS"]);
  expect(results[1].key_id).toBe(results[0].key_id);
});

test("a dry run answers the same, and stores nothing", async () => {
  const text = drawText(format);
  const keys = [
    rowOf(format, text),
    rowOf(format, text),
    rowOf(format, drawText(format), { permissions: ["no:scope"] }),
  ];
  const dry = await dashboard.call("import", { keys, dry_run: true });
  expect(dry.json).toMatchObject({ created: 1, exists: 1, refused: 1 });
  expect(dry.json.results[0]).toEqual({ index: 0, status: "CREATED" });
  expect(await useKey(latchkey, text)).toBe("api_key_not_found");
  const { json } = await dashboard.call("import", { keys });
  expect(json.results.map(({ status }: { status: string }) => status)).toEqual(["CREATED", "EXISTS", "REFUSED"]);
  expect(json.results[2]).toEqual(dry.json.results[2]);
});

test("a key that ended in the old system is denied for that reason", async () => {
  const [revoked, expired, disabled] = [drawText(format), drawText(format), drawText(format)] as const;
  const past = "2025-01-01T00:00:00Z";
  const [revokedId, , disabledId] = await importAll(dashboard, [
    rowOf(format, revoked, { revoked_at: past, created_at: past }),
    rowOf(format, expired, { expires_at: past, created_at: past }),
    rowOf(format, disabled, { disabled: true }),
  ]);
  expect(await useKey(latchkey, revoked)).toBe("api_key_revoked");
  expect(await useKey(latchkey, expired)).toBe("api_key_expired");
  expect(await useKey(latchkey, disabled)).toBe("api_key_disabled");
  expect((await dashboard.result("get", { key_id: revokedId })).revoked_at).toBe(past);
  await dashboard.result("enable", { key_id: disabledId });
  expect(await useKey(latchkey, disabled)).toBe("admitted");
});

test("a rotation makes a key of this service, and both are admitted during the grace period", async () => {
  const text = drawText(format);
  const [key_id] = await importAll(dashboard, [rowOf(format, text)]);
  const { key, key_id: successor } = await dashboard.result("rotate", { key_id });
  expect(key).toMatch(/^sk_[0-9A-Za-z]{36}$/);
  expect([await useKey(latchkey, text), await useKey(latchkey, key)]).toEqual(["admitted", "admitted"]);
  expect(await dashboard.result("get", { key_id: successor })).not.toHaveProperty("imported");
  await dashboard.result("revoke", { key_id });
  expect(await useKey(latchkey, text)).toBe("api_key_revoked");
});

test("the list finds imported keys, by their format and by their last use", async () => {
  const own = dashboardOf(latchkey);
  const other = await createFormat(latchkey);
  const rows = [format, other].map((each) => rowOf(each, drawText(each), { tenant_id: own.tenant }));
  const [one, two] = await importAll(operator, rows);
  await own.createKey();
  const listed = async (filter: object) => {
    const { json } = await own.call("list", filter);
    return json.keys.map(({ key_id }: { key_id: string }) => key_id).toSorted();
  };
  expect(await listed({})).toHaveLength(3);
  expect(await listed({ imported: true })).toEqual([one, two].toSorted());
  expect(await listed({ key_format: other.key_format })).toEqual([two]);
  expect(await listed({ key_format: "no-format" })).toEqual([]);
  const byOperator = await operator.answer("keys/list", { tenant_id: own.tenant, imported: true });
  expect(byOperator.keys).toHaveLength(2);
  expect(await listed({ imported: true, last_used_before: instant(latchkey, HOUR) })).toHaveLength(2);
});

test("the trail has an event of each key, and one of the call with its counts", async () => {
  const own = dashboardOf(latchkey);
  const keys = [1, 2].map(() => rowOf(format, drawText(format), { tenant_id: own.tenant }));
  const ids = await importAll(operator, keys);
  const { events } = await operator.answer("audit/list", { tenant_id: own.tenant, action: "api_key.imported" });
  expect(events.map(({ target_id }: { target_id: string }) => target_id).toSorted()).toEqual(ids.toSorted());
  expect(events[0].changes).toMatchObject({ imported: { new: true }, key_format: { new: format.key_format } });
  expect(JSON.stringify(events)).not.toContain(sha256(""));
  const { events: calls } = await operator.answer("audit/list", { action: "api_key.import_called" });
  expect(calls[0]).toMatchObject({ changes: { created: { new: 2 }, exists: { new: 0 }, refused: { new: 0 } } });
});
