// promise: rules.concurrent, rules.count
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { dashboardOf, instant } from "../harness/key-management.ts";
import { policyOf } from "../harness/key-policy.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

const HOUR = 3_600_000;
const KEYS_MAX = 5;
let url: string;
let pair: readonly [Latchkey, Latchkey];

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  const storage = { kind: "postgres", url } as const;
  const start = () => startLatchkey({ config: { storage, tenantKeysMax: KEYS_MAX } });
  pair = [await start(), await start()];
});
afterAll(async () => {
  for (const latchkey of pair) await latchkey.close();
  await dropDatabase(inject("postgresUrl"), url);
});

test("a tenant that creates keys on two replicas at once gets exactly as many as it may have", async () => {
  for (let turn = 0; turn < 5; turn++) {
    const tenant = newTenant();
    const bodies = Array.from({ length: 20 }, (_, n) => ({ name: `key ${n}`, permissions: ["plans:read"] }));
    const answers = await Promise.all(
      bodies.map((body, n) => dashboardOf(pair[n % 2 === 0 ? 0 : 1], tenant).call("create", body)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(KEYS_MAX);
  }
});

test("once new rules are set on one replica, no key that goes beyond them comes from the other", async () => {
  const [one, other] = pair;
  for (let turn = 0; turn < 10; turn++) {
    const policy = policyOf(one);
    const keys = async () => (await dashboardOf(one, policy.tenant).call("list", {})).json.pagination.total;
    const body = { name: "a key", permissions: ["plans:read"], expires_at: instant(other, 2 * HOUR) };
    const creations = Array.from({ length: 4 }, () => dashboardOf(other, policy.tenant).call("create", body));
    await policy.set({ max_lifetime_hours: 1 });
    const shown = await keys();
    const statuses = (await Promise.all(creations)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(shown);
    expect(await keys()).toBe(shown);
  }
});
