// promise: keys.retention
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { explain, verifyWith } from "../harness/recent-requests.ts";
import { usageReaderOf } from "../harness/tenant-usage.ts";
import { HOUR } from "../harness/test-clock.ts";

const DAYS = 3;

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await startLatchkey({ config: { endedKeyDays: DAYS }, purgeMs: 50 });
});

afterAll(() => latchkey.close());

async function denialOf(key: string): Promise<string | undefined> {
  return (await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key })).json.denial_reason;
}

// threat: Q18
test("a key is kept for ENDED_KEY_DAYS after its end, then it is unknown, and what refers to it stays right", async () => {
  const reader = usageReaderOf(latchkey);
  const period = { from: latchkey.clock.now().toISOString() };
  const { dashboard } = reader;
  const create = { name: "once", client_request_id: "the same" };
  const old = await dashboard.createKey(create);
  const successor = await dashboard.result("rotate", { key_id: old.key_id, grace_period_hours: 0 });
  const revoked = await dashboard.createKey({ name: "revoked" });
  await dashboard.result("revoke", { key_id: revoked.key_id });
  const denied = await verifyWith(latchkey, revoked.key);
  await reader.get(1);

  latchkey.clock.advance((DAYS * 24 - 1) * HOUR);
  const kept = await dashboard.createKey({ name: "kept" });
  expect(await denialOf(old.key)).toBe("api_key_expired");
  expect(await denialOf(revoked.key)).toBe("api_key_revoked");
  await reader.get(3, { ...period, step: "day" });

  latchkey.clock.advance(2 * HOUR);
  const reasons = async () => [await denialOf(old.key), await denialOf(revoked.key)];
  await expect.poll(reasons, { timeout: 20_000 }).toEqual(["api_key_not_found", "api_key_not_found"]);
  for (const { key } of [successor, kept]) expect(await denialOf(key)).toBeUndefined();
  const unknown = await dashboard.call("get", { key_id: "key_0000000000000000000000" });
  for (const method of ["get", "usage", "revoke", "rotate"] as const) {
    const { status, json } = await dashboard.call(method, { key_id: revoked.key_id });
    expect([status, json.message]).toEqual([unknown.status, unknown.json.message]);
  }
  expect(await dashboard.result("get", { key_id: successor.key_id })).toMatchObject({ rotated_from: old.key_id });
  const again = await dashboard.createKey(create);
  expect(again.key_id).not.toBe(old.key_id);

  const user = await latchkey.dashboard(dashboard.tenant);
  const { json: trail } = await latchkey.call("/api/v1/audit/list", { target_id: revoked.key_id }, user);
  expect(trail.events.map(({ action }: { action: string }) => action)).toEqual(["api_key.revoked", "api_key.created"]);
  expect((await explain(latchkey, dashboard.tenant, denied)).json.result).toMatchObject({
    denial_reason: "api_key_revoked",
    request: { key_id: revoked.key_id },
  });
  const { json: top } = await reader.call("top-keys", period);
  expect(top.keys).toContainEqual(expect.objectContaining({ key_id: revoked.key_id, name: "" }));
});
