import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { type Fleet, type Replica, startFleet } from "../harness/fleet.ts";
import type { Answer } from "../harness/http.ts";
import { type OwnPostgres, startOwnPostgres } from "../servers/postgres.ts";

/** How late an answer may be, and how late the service may be back. */
const LATE_MS = 5_000;
/** More than the pool has connections: the others wait for one. */
const CALLS = 15;
const VERIFY = "/api/v1/auth/verify";
const KEYS = "/api/v1/api-keys";
const AWAY = { status: 500, denial_reason: "verifier_error" };
const UNAVAILABLE = { status: 503, code: "unavailable" };

let postgres: OwnPostgres;
let fleet: Fleet;
let replica: Replica;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  fleet = await startFleet("", postgres.url);
  replica = await fleet.start();
});
afterAll(async () => {
  await fleet.close();
  await postgres.stop();
});

describe("while PostgreSQL is frozen", () => {
  // threat: H7
  test("every call is answered within 5 s, no key is accepted or rejected, and afterwards nothing has changed", async () => {
    const { key, key_id } = await fleet.createKey(replica);
    const dashboard = await fleet.dashboard();
    const verify = async (secret: string) => shown(await replica.call(VERIFY, {}, { "x-api-key": secret }));
    const manage = async (rpc: string, body: object) => shown(await replica.call(`${KEYS}/${rpc}`, body, dashboard));
    const list = () => manage("list", {});
    // Fills the pool with connections on which the server has answered before.
    await Promise.all(Array.from({ length: CALLS }, list));

    await postgres.freeze();
    try {
      for (const connections of ["old", "new"]) {
        const answers = Promise.all([
          inTime(verify(key)),
          inTime(verify(makeSecret("secret"))),
          inTime(manage("revoke", { key_id })),
          ...Array.from({ length: CALLS }, () => inTime(list())),
        ]);
        const [known, unknown, ...others] = await answers;
        expect({ connections, known, unknown }).toMatchObject({ known: AWAY, unknown: AWAY });
        for (const other of others) expect(other).toMatchObject(UNAVAILABLE);
      }
    } finally {
      await postgres.thaw();
    }

    await expect.poll(() => verify(key), { timeout: LATE_MS }).toMatchObject({ status: 200 });
    expect(await manage("revoke", { key_id })).toMatchObject({ status: 200 });
    expect(await verify(key)).toMatchObject({ status: 401, denial_reason: "api_key_revoked" });
  });
});

function shown({ status, json }: Answer) {
  return { status, ...json };
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const answered = await answer;
  expect(performance.now() - startedMs).toBeLessThan(LATE_MS);
  return answered;
}
