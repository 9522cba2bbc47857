// promise: imported.rows
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { createGuard, type GuardOptions } from "../../clients/typescript/src/server/index.ts";
import { type Decide, shadow } from "../../examples/migrate/shadow.ts";
import { createFormat, drawText, importAll } from "../harness/imports.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { closeAll, listenOnLoopback } from "../servers/loopback.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const GUIDE = new URL("../../docs/guides/migrate.md", import.meta.url);
const CUSTOMERS = 50;
const SCOPE = "plans:read";
const ROWS_AT_ONCE = 7;
const UNKNOWN = { status: 401, headers: new Headers(), body: "" };

const latchkey = await sharedLatchkey();
const operator = operatorOf(latchkey);
const tenants = Array.from({ length: CUSTOMERS }, newTenant);

/** The database of the service that moves, with its table of keys. */
let url: string;
let table: pg.Pool;
beforeAll(async () => {
  url = await createDatabase(inject("postgresUrl"));
  table = new pg.Pool({ connectionString: url, max: 4 });
  await table.query(
    "create table keys (key_hash bytea primary key, customer text, name text, scopes text[], created_at timestamptz)",
  );
});
afterAll(async () => {
  await table.end();
  await dropDatabase(inject("postgresUrl"), url);
});

const inTable: Decide = async (key, scope) => {
  const { rows } = await table.query("select customer from keys where key_hash = sha256($1) and $2 = any (scopes)", [
    Buffer.from(key),
    scope,
  ]);
  return rows[0] === undefined ? { refusal: UNKNOWN } : { tenantId: rows[0].customer };
};

/** What the guide's lines make of a service's own check, its flags and its counters. */
const [, lines = ""] = /```ts\n(.*?)```/s.exec(await readFile(GUIDE, "utf8")) ?? [];
const decideOf: (old: Decide, flags: object, counters: object) => Decide = new Function(
  ...["createGuard", "shadow", "process", "checkInTable", "flags", "counters"],
  `${lines} return decide;`,
).bind(
  undefined,
  // A busy machine may take longer than the two seconds of a guard.
  (options: GuardOptions) => createGuard({ ...options, timeoutMs: 60_000 }),
  ...[shadow, { env: { LATCHKEY_URL: latchkey.url } }],
);

/** A service whose customers call it without a pause, each as soon as the last call is answered. */
async function startService(decide: Decide, keys: ReadonlyMap<string, string>) {
  const server = createServer(async (req, res) => {
    const decision = await decide(String(req.headers["x-api-key"]), SCOPE);
    if ("refusal" in decision) res.writeHead(decision.refusal.status).end(decision.refusal.body);
    else res.end(decision.tenantId);
  });
  const address = `http://127.0.0.1:${await listenOnLoopback(server)}`;
  const calls = new Map([...keys.keys()].map((key) => [key, 0]));
  const failures: string[] = [];
  let isClosing = false;
  const callers = [...keys].map(async ([key, tenant]) => {
    while (!isClosing) {
      const outcome = await fetch(address, { headers: { "x-api-key": key } }).then(
        async (answer) => `${answer.status} ${await answer.text()}`,
        String,
      );
      if (outcome !== `200 ${tenant}`) failures.push(outcome);
      calls.set(key, (calls.get(key) ?? 0) + 1);
    }
  });
  async function close(): Promise<void> {
    isClosing = true;
    await Promise.all(callers);
    await closeAll(server);
  }
  onTestFinished(close);
  return {
    failures,
    close,
    /** Until each customer has called so many times more. */
    async called(times: number): Promise<void> {
      const before = new Map(calls);
      const isDone = () => [...calls].every(([key, count]) => count - (before.get(key) ?? 0) >= times);
      await expect.poll(isDone).toBe(true);
    },
  };
}

test("the keys of 50 customers move while all of them call, and not one call fails", async () => {
  const format = await createFormat(latchkey);
  const used = new Map(tenants.map((tenant) => [drawText(format), tenant]));
  const unused = new Map(tenants.map((tenant) => [drawText(format), tenant]));
  const insert = "insert into keys values (sha256($1), $2, $3, $4, now() - interval '1 year')";
  for (const [kind, keys] of Object.entries({ used, unused }))
    for (const [key, tenant] of keys) await table.query(insert, [Buffer.from(key), tenant, kind, [SCOPE]]);

  const differences: string[] = [];
  const flags = { latchkeyDecides: false };
  const counters = { increment: (name: string) => void differences.push(name) };
  const decide = decideOf(inTable, flags, counters);
  const service = await startService(decide, used);
  await service.called(2);
  expect(differences).toContain("Latchkey refuses: api_key_not_found");

  const { rows } = await table.query(
    "select encode(key_hash, 'hex') as digest, customer, name, scopes, created_at from keys",
  );
  const imported = rows.map(({ digest, customer, name, scopes, created_at }) => ({
    ...{ tenant_id: customer, hash: { digest }, key_format: format.key_format, name, permissions: scopes, created_at },
  }));
  for (let at = 0; at < imported.length; at += ROWS_AT_ONCE)
    await importAll(operator, imported.slice(at, at + ROWS_AT_ONCE));
  await expect.poll(() => new Set(differences.slice(-3 * CUSTOMERS))).toEqual(new Set(["same"]));

  flags.latchkeyDecides = true;
  await service.called(1);
  const switchedAt = latchkey.clock.now().toISOString();
  await table.query("drop table keys");
  await service.called(5);
  await service.close();
  expect(service.failures).toEqual([]);

  const unusedSince = async (tenant_id: string) => {
    const body = { tenant_id, imported: true, last_used_before: switchedAt };
    const { keys } = await operator.answer("keys/list", body);
    return keys.map(({ name }: { name: string }) => name);
  };
  for (const tenant of tenants) await expect.poll(() => unusedSince(tenant)).toEqual(["unused"]);
});
