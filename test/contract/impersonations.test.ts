// promise: audit.impersonation
import { afterEach, expect, test } from "vitest";
import { eventsOf } from "../harness/audit.ts";
import { eventually } from "../harness/eventually.ts";
import { newTenant, startLatchkey, testStorage } from "../harness/latchkey.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";
import { HOUR, SECOND } from "../harness/test-clock.ts";

const GATEWAY = "/api/v1/llm/gateway";
const FILTER = { action: "user.impersonated" };
const PERMISSIONS = ["conversations:*", "users:impersonate"];

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

test("the admitted calls of a key for a user within an hour are one event, with their number and no content, also if the process stops meanwhile", async () => {
  const { storage, cleanUp } = await testStorage();
  cleanUps.push(cleanUp);
  const before = await startLatchkey({ config: { storage } });
  // All calls are within one hour.
  before.clock.advance(HOUR - (before.clock.now().getTime() % HOUR));
  const tenant = newTenant();
  const { key, key_id } = await before.createKey(await before.dashboard(tenant), { permissions: PERMISSIONS });
  const as = (user: string) => ({ "x-api-key": key, "x-on-behalf-of": user });
  const send = { conversation_key: "c", user_message: USER_MESSAGE };
  const verify = "/api/v1/auth/verify";
  expect((await before.call(`${GATEWAY}/send-message`, send, as("user-1"))).status).toBe(200);
  expect((await before.call(`${GATEWAY}/list-threads`, {}, as("user-1"))).status).toBe(200);
  expect((await before.call(verify, { scope: "conversations:read" }, as("user-1"))).status).toBe(200);
  expect((await fetch(`${before.url}/auth/check`, { headers: as("user-2") })).status).toBe(200);
  // Neither calls that are denied, nor one without the header.
  expect((await before.call(verify, { scope: "plans:read" }, as("user-3"))).status).toBe(403);
  expect((await before.call(`${GATEWAY}/list-threads`, {}, as("a, b"))).status).toBe(400);
  expect((await before.call(`${GATEWAY}/list-threads`, {}, { "x-api-key": key })).status).toBe(200);
  expect(await eventsOf(before, tenant, FILTER)).toEqual([]);
  await before.close();

  const after = await startLatchkey({ config: { storage }, purgeMs: 20 });
  cleanUps.push(() => after.close());
  after.clock.advance(2 * HOUR + 121 * SECOND);
  const events = await eventually(async () => {
    const found = await eventsOf(after, tenant, FILTER);
    expect(found.length).toBeGreaterThan(0);
    return found;
  });
  const calls = Object.fromEntries(events.map(({ target_id, impersonation }) => [target_id, impersonation.calls]));
  expect(calls).toEqual({ "user-1": 3, "user-2": 1 });
  const event = events.find(({ target_id }) => target_id === "user-1");
  expect(event).toMatchObject({
    actor: { kind: "secret_key", key_id, user_id: "user-1" },
    changes: {},
    request_id: expect.stringMatching(/^req_/),
    impersonation: { hour: expect.stringMatching(/:00:00Z$/), calls: 3 },
  });
  expect(JSON.stringify(events)).not.toContain("Hello");
  expect(await eventsOf(after, tenant, { actor_id: key_id, target_id: "user-1" })).toEqual([event]);
  expect(await eventsOf(after, newTenant(), FILTER)).toEqual([]);
});
