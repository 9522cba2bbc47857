// promise: lists.turns
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { AuditService } from "../../gen/latchkey/v1/audit_service_pb.ts";
import type { SqlDatabase } from "../../src/store/sql/driver/database.ts";
import { type ListOwner, ofTenant } from "../../src/store/sql/driver/list-turns.ts";
import { openDatabase } from "../../src/store/sql/driver/open.ts";
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
/** Whose lists wait, once it is their turn, and until when. */
let held: { readonly owner: ListOwner; readonly until: Promise<void> } | undefined;
let ofGreedy: ListOwner;

beforeAll(async () => {
  url = await copyDatabase(inject("servingTemplate").adminUrl);
  const storage = { kind: "postgres", url } as const;
  const opened = await openDatabase(storage);
  const lists: SqlDatabase["lists"] = (owner, work) =>
    opened.lists(owner, async (db) => {
      if (owner === held?.owner) await held.until;
      return work(db);
    });
  latchkey = await startLatchkey({ config: { storage }, database: { ...opened, lists } });
});
afterAll(async () => {
  await latchkey?.close();
  await dropDatabase(serverUrl, url);
});
beforeEach(async () => {
  const tenantId = newTenant();
  ofGreedy = ofTenant(tenantId);
  greedy = await latchkey.dashboard(tenantId);
  polite = await latchkey.dashboard(newTenant());
});

/** Runs `work` while every list of the greedy tenant waits, and no list gives up, however busy the machine is. */
async function whileListsWait(work: () => Promise<void>): Promise<void> {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  held = { owner: ofGreedy, until };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await work().finally(() => {
    vi.useRealTimers();
    release();
  });
}

const list = (path: string, headers: Record<string, string>) => latchkey.call(path, {}, headers);

test("a tenant's lists are answered while another's fifty wait for each other", async () => {
  const waiting: Promise<Answer>[] = [];
  await whileListsWait(async () => {
    waiting.push(...Array.from({ length: 50 }, () => list(LIST_KEYS, greedy)));
    const answered = await Promise.all(Array.from({ length: 10 }, () => list(LIST_EVENTS, polite)));
    expect(await Promise.race([...waiting, "none is answered"])).toBe("none is answered");
    expect(answered.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  });
  for (const answer of waiting) expect((await answer).status).toBe(200);
});

test("a tenant with too many lists is answered 429 with Retry-After, which is not a denial, and others are not", async () => {
  const client = createClient(AuditService, createGrpcTransport({ baseUrl: latchkey.url }));
  await client.listAuditEvents({}, { headers: greedy });
  const waiting: Promise<Answer>[] = [];
  await whileListsWait(async () => {
    waiting.push(...Array.from({ length: ADMITTED + 1 }, () => list(LIST_KEYS, greedy)));
    const answer = await Promise.race(waiting);
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
  expect((await Promise.all(waiting)).filter(({ status }) => status === 200)).toHaveLength(ADMITTED);
  expect((await list(LIST_EVENTS, greedy)).status).toBe(200);
});
