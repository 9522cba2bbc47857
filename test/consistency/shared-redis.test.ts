import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type CreatedKey, type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { redisAt } from "../harness/redis-servers.ts";
import { createDatabase } from "../servers/postgres.ts";

const VERIFY = "/api/v1/auth/verify";

/** A service with its own database, and a Redis that it shares with another service. */
interface Deployment {
  readonly latchkey: Latchkey;
  readonly database: pg.Client;
}

async function deploy(): Promise<Deployment> {
  const url = await createDatabase(inject("postgresUrl"));
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  const config = { storage: { kind: "postgres", url }, redis: redisAt(inject("redisUrl")) } as const;
  return { latchkey: await startLatchkey({ config }), database };
}

async function outcome({ latchkey }: Deployment, { key }: CreatedKey): Promise<string> {
  const { status, json } = await latchkey.call(VERIFY, {}, { "x-api-key": key });
  return status === 200 ? "200" : `${status} ${json.denial_reason}`;
}

describe("of two deployments that share a Redis", () => {
  let one: Deployment;
  let other: Deployment;
  const tenant = newTenant();

  beforeAll(async () => {
    [one, other] = await Promise.all([deploy(), deploy()]);
  });

  afterAll(async () => {
    for (const { latchkey, database } of [one, other]) {
      await latchkey.close();
      await database.end();
    }
  });

  async function createKey(): Promise<CreatedKey> {
    return one.latchkey.createKey(await one.latchkey.dashboard(tenant));
  }

  test("neither accepts a key of the other", async () => {
    const key = await createKey();
    expect(await outcome(one, key)).toBe("200");
    for (let n = 0; n < 3; n++) {
      expect(await outcome(other, key)).toBe("401 api_key_not_found");
      expect(await outcome(one, key)).toBe("200");
    }
  });

  test("a key that both have, because one database is a copy of the other, is revoked only where it was revoked", async () => {
    const key = await createKey();
    const { rows } = await one.database.query("select to_jsonb(api_keys) as row from api_keys where key_id = $1", [
      key.key_id,
    ]);
    await other.database.query(
      "insert into api_keys overriding system value select * from jsonb_populate_record(null::api_keys, $1)",
      [rows[0].row],
    );
    expect([await outcome(one, key), await outcome(other, key)]).toEqual(["200", "200"]);
    const revoked = await one.latchkey.call(
      "/api/v1/api-keys/revoke",
      { key_id: key.key_id },
      await one.latchkey.dashboard(tenant),
    );
    expect(revoked.status).toBe(200);
    for (let n = 0; n < 3; n++) {
      expect(await outcome(other, key)).toBe("200");
      expect(await outcome(one, key)).toBe("401 api_key_revoked");
    }
  });
});
