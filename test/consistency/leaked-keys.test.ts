// promise: leaks.disabled
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { dashboardOf, useKey } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { report } from "../harness/leaks.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

const TURNS = 10;
let url: string;
let pair: readonly [Latchkey, Latchkey];

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  const start = () => startLatchkey({ config: { storage: { kind: "postgres", url } } });
  pair = [await start(), await start()];
});
afterAll(async () => {
  for (const latchkey of pair) await latchkey.close();
  await dropDatabase(inject("postgresUrl"), url);
});

test("a reported key that is in use on both replicas is refused by the next request on either", async () => {
  for (let turn = 0; turn < TURNS; turn++) {
    const [from, to] = turn % 2 === 0 ? pair : pair.toReversed();
    if (from === undefined || to === undefined) throw new Error("there are two replicas");
    const { key } = await dashboardOf(from, newTenant()).createKey();
    expect([await useKey(from, key), await useKey(to, key)]).toEqual(["admitted", "admitted"]);
    expect((await report(from, [{ key }])).status).toBe(200);
    expect([await useKey(to, key), await useKey(from, key)]).toEqual(["api_key_disabled", "api_key_disabled"]);
  }
});

test("one key that is reported on both replicas at once has one event", async () => {
  const [one, other] = pair;
  const dashboard = dashboardOf(one);
  const { key, key_id } = await dashboard.createKey();
  await Promise.all(Array.from({ length: 10 }, (_, n) => report(n % 2 === 0 ? one : other, [{ key, source: `${n}` }])));
  const body = { action: "api_key.leaked", target_id: key_id };
  const { json } = await one.call("/api/v1/audit/list", body, await one.dashboard(dashboard.tenant));
  expect(json.events).toHaveLength(1);
});
