import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { AuditService } from "../../gen/latchkey/v1/audit_service_pb.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { createDatabase, dropDatabase } from "../servers/postgres.ts";

const LIST_KEYS = "/api/v1/api-keys/list";
const LIST_EVENTS = "/api/v1/audit/list";
/** One that runs, and a hundred that wait. */
const ADMITTED = 101;

const serverUrl = inject("postgresUrl");
let url: string;
let latchkey: Latchkey;
let greedy: Record<string, string>;
let polite: Record<string, string>;

beforeAll(async () => {
  url = await createDatabase(serverUrl);
  latchkey = await startLatchkey({ config: { storage: { kind: "postgres", url } } });
});
afterAll(async () => {
  await latchkey?.close();
  await dropDatabase(serverUrl, url);
});
beforeEach(async () => {
  greedy = await latchkey.dashboard(newTenant());
  polite = await latchkey.dashboard(newTenant());
});

/** Runs `work` while every list of keys waits for a lock. */
async function whileListsOfKeysWait(work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("begin");
  await holder.query("lock table key_usage in access exclusive mode");
  await work().finally(() => holder.end());
}

const list = (path: string, headers: Record<string, string>) => latchkey.call(path, {}, headers);

test("a tenant's lists are answered while another's fifty wait for each other", async () => {
  await whileListsOfKeysWait(async () => {
    const held = Array.from({ length: 50 }, () => list(LIST_KEYS, greedy));
    for (let n = 0; n < 10; n++) expect((await list(LIST_EVENTS, polite)).status).toBe(200);
    expect(await Promise.race([...held, "none is answered"])).toBe("none is answered");
    void Promise.allSettled(held);
  });
});

test("a tenant with too many lists is answered 429 with Retry-After, which is no denial, and others are not", async () => {
  await whileListsOfKeysWait(async () => {
    const held = Array.from({ length: ADMITTED + 1 }, () => list(LIST_KEYS, greedy));
    const answer = await Promise.race(held);
    expect(answer).toMatchObject({
      status: 429,
      json: { code: "resource_exhausted", message: expect.stringContaining("Too many lists of this tenant") },
    });
    expect(answer.headers.get("retry-after")).toBe("3");
    expect(answer.json).not.toHaveProperty("denial_reason");
    expect(answer.json).not.toHaveProperty("rate_limit");
    expect(answer.headers.has("x-ratelimit-limit")).toBe(false);

    const client = createClient(AuditService, createGrpcTransport({ baseUrl: latchkey.url }));
    const err = await client.listAuditEvents({}, { headers: greedy }).then(() => undefined, ConnectError.from);
    expect([err?.rawMessage, err?.metadata.get("retry-after")]).toEqual([answer.json.message, "3"]);
    expect((await list(LIST_EVENTS, polite)).status).toBe(200);
    expect((await latchkey.call("/api/v1/orgs/list", {}, greedy)).status).toBe(200);
    void Promise.allSettled(held);
  });
  expect((await list(LIST_EVENTS, greedy)).status).toBe(200);
});
