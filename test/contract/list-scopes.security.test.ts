// promise: scopes.catalogue
import { describe, expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sharedWithRoles } from "../harness/roles.ts";

const LIST = "/api/v1/scopes/list";

const latchkey = await sharedLatchkey();
const withRoles = await sharedWithRoles();

describe("a key that may do nothing else", () => {
  test.each([
    ["is disabled", "disable", "api_key_disabled"],
    ["is revoked", "revoke", "api_key_revoked"],
  ])("and %s is denied", async (_, verb, reason) => {
    const dashboard = await latchkey.dashboard();
    const { key, key_id } = await latchkey.createKey(dashboard, { permissions: ["plans:read"] });
    await latchkey.call(`/api/v1/api-keys/${verb}`, { key_id }, dashboard);
    const { status, json } = await latchkey.call(LIST, {}, { "x-api-key": key });
    expect([status, json.denial_reason]).toEqual([401, reason]);
  });

  test("and is beyond its limit is denied", async () => {
    const { key } = await latchkey.createKey(await latchkey.dashboard(), { rate_limit: { requests_per_minute: 1 } });
    const statuses = [];
    for (let n = 0; n < 2; n++) statuses.push((await latchkey.call(LIST, {}, { "x-api-key": key })).status);
    expect(statuses).toEqual([200, 429]);
  });
});

test("the list says nothing of who holds a scope: each caller has the same", async () => {
  const texts = await Promise.all(
    ["owner", "viewer", "unknown"].map(
      async (role) => (await withRoles.call(LIST, {}, await withRoles.user(role))).text,
    ),
  );
  expect(new Set(texts).size).toBe(1);
});
