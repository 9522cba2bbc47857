import { afterAll, beforeAll, expect, test } from "vitest";
import { createLatchkeyClient, eachOf, type LatchkeyClient } from "../../clients/typescript/src/index.ts";
import { ok, type ScriptedService, type Step, startScriptedService } from "./scripted-service.ts";

let service: ScriptedService;
let client: LatchkeyClient;

beforeAll(async () => {
  service = await startScriptedService();
  client = createLatchkeyClient({ baseUrl: service.url, getUserToken: () => "t" });
});

afterAll(() => service.close());

const keys = (page: number, totalPages: number, ...ids: string[]): Step =>
  ok({
    keys: ids.map((key_id) => ({ key_id })),
    pagination: { page, per_page: 100, total: 3, total_pages: totalPages },
  });
const asked = () => service.received.map(({ body }) => body);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test("the pages of a list are read one after the other, with the request's own filters", async () => {
  service.play(keys(1, 2, "key_1", "key_2"), keys(2, 2, "key_3"));
  const request = { scope: "plans:read" };
  const found = await all(eachOf(client.apiKeys.listApiKeys, request));
  expect(found.map(({ keyId }) => keyId)).toEqual(["key_1", "key_2", "key_3"]);
  expect(asked()).toEqual([
    { scope: "plans:read", per_page: 100 },
    { scope: "plans:read", per_page: 100, page: 2 },
  ]);
  expect(request).toEqual({ scope: "plans:read" });
});

test("a page is read when it is needed, and none after the loop has ended", async () => {
  service.play(keys(1, 9, "key_1"), keys(2, 9, "key_2"), keys(3, 9, "key_3"));
  for await (const { keyId } of eachOf(client.apiKeys.listApiKeys, {})) if (keyId === "key_2") break;
  expect(service.received).toHaveLength(2);
});

test("a list begins at the page that is asked for, in pages of the size that is asked for", async () => {
  service.play(ok({ threads: [], pagination: { page: 4, total_pages: 4 } }));
  expect(await all(eachOf(client.gateway.listThreads, { page: 4, perPage: 5 }))).toEqual([]);
  expect(asked()).toEqual([{ page: 4, per_page: 5 }]);
});

test("a list with tokens is read to its end", async () => {
  const events = (token: string, ...ids: string[]) =>
    ok({ events: ids.map((event_id) => ({ event_id })), next_page_token: token });
  service.play(events("t1", "aud_1"), events("t2"), events("", "aud_2"));
  const found = await all(eachOf(client.audit.listAuditEvents, { action: "api_key.created" }));
  expect(found.map(({ eventId }) => eventId)).toEqual(["aud_1", "aud_2"]);
  expect(asked().map(({ page_token: token }) => token)).toEqual([undefined, "t1", "t2"]);
});

test("a list without pages is read once", async () => {
  service.play(ok({ scopes: [{ name: "plans:read" }] }));
  expect((await all(eachOf(client.scopes.listScopes))).map(({ name }) => name)).toEqual(["plans:read"]);
  expect(asked()).toEqual([{}]);
});

test("the loop ends with the error of a call, and with the signal", async () => {
  service.play(keys(1, 2, "key_1"), { status: 401, body: JSON.stringify({ code: "unauthenticated", message: "no" }) });
  const found: string[] = [];
  const loop = async (options = {}) => {
    for await (const { keyId } of eachOf(client.apiKeys.listApiKeys, {}, options)) found.push(keyId);
  };
  await expect(loop()).rejects.toMatchObject({ rawMessage: "no" });
  expect(found).toEqual(["key_1"]);
  await expect(loop({ signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
});

test("every list of the client is one that eachOf takes, and no other call is", async () => {
  service.play(ok());
  const { sendAndWait: _, ...services } = client;
  const calls = Object.values(services).flatMap((of) => Object.entries(of));
  expect(calls.length).toBeGreaterThan(40);
  const taken: string[] = [];
  for (const [name, call] of calls) {
    const items = eachOf(call as LatchkeyClient["apiKeys"]["listApiKeys"], {});
    const result = await all(items).catch((err) => err);
    if (!(result instanceof TypeError)) taken.push(name);
    else expect(result.message).toMatch(/^eachOf takes a call of a client that lists/);
  }
  expect(taken.toSorted()).toEqual(
    calls
      .map(([name]) => name)
      .filter((name) => name.startsWith("list"))
      .toSorted(),
  );
});
