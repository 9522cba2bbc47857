// promise: lists.turns
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { AuditService } from "../../gen/latchkey/v1/audit_service_pb.ts";
import type { Answer } from "../harness/http.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { copyDatabase, dropDatabase } from "../servers/postgres.ts";

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
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  latchkey = await startLatchkey({ config: { storage: { kind: "postgres", url } } });
});
afterAll(async () => {
  await latchkey?.close();
  await dropDatabase(serverUrl, url);
});
beforeEach(async () => {
  greedy = await latchkey.dashboard(newTenant());
  polite = await latchkey.dashboard(newTenant());
  // A list gives up after 3 s, and what comes first of all takes a busy machine some of them.
  for (const path of [LIST_KEYS, LIST_EVENTS])
    for (const headers of [greedy, polite]) expect((await list(path, headers)).status).toBe(200);
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
    const answered = await Promise.all(Array.from({ length: 10 }, () => list(LIST_EVENTS, polite)));
    expect(await Promise.race([...held, "none is answered"])).toBe("none is answered");
    expect(answered.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    void Promise.allSettled(held);
  });
});

test("a tenant with too many lists is answered 429 with Retry-After, which is not a denial, and others are not", async () => {
  const client = createClient(AuditService, createGrpcTransport({ baseUrl: latchkey.url }));
  await client.listAuditEvents({}, { headers: greedy });
  const held: Promise<Answer>[] = [];
  await whileListsOfKeysWait(async () => {
    held.push(...Array.from({ length: ADMITTED + 1 }, () => list(LIST_KEYS, greedy)));
    const answer = await Promise.race(held);
    const others = await Promise.all([
      client.listAuditEvents({}, { headers: greedy }).then(() => undefined, ConnectError.from),
      list(LIST_EVENTS, polite),
      latchkey.call("/api/v1/orgs/list", {}, greedy),
    ]);
    expect(answer).toMatchObject({
      status: 429,
      json: { code: "resource_exhausted", message: expect.stringContaining("Too many lists of this tenant") },
    });
    expect(answer.headers.get("retry-after")).toBe("3");
    expect(answer.json).not.toHaveProperty("denial_reason");
    expect(answer.json).not.toHaveProperty("rate_limit");
    expect(answer.headers.has("x-ratelimit-limit")).toBe(false);

    const [err, ofPolite, ofUser] = others;
    expect([err?.rawMessage, err?.metadata.get("retry-after")]).toEqual([answer.json.message, "3"]);
    expect([ofPolite.status, ofUser.status]).toEqual([200, 200]);
  });
  await Promise.allSettled(held);
  expect((await list(LIST_EVENTS, greedy)).status).toBe(200);
});
