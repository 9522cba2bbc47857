import { deepStrictEqual } from "node:assert";
import { inspect } from "node:util";
import { clone, create, equals, isMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ApiKeySchema,
  fromJson,
  ListApiKeysResponseSchema,
  timestampDate,
  timestampFromDate,
  toJson,
} from "../../clients/typescript/src/index.ts";
import { dashboardClient, newKey, secretKeyClient } from "../harness/clients.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";

const latchkey = await sharedLatchkey();

test("JSON.stringify of an answer, or of a part of it, is the JSON of the HTTP API", async () => {
  const tenant = newTenant();
  const { apiKeys } = dashboardClient(latchkey, tenant);
  const expiresAt = timestampFromDate(new Date(latchkey.clock.now().getTime() + 3_600_000));
  const rateLimit = { requestsPerMinute: 100 };
  const { result } = await apiKeys.createApiKey({ name: "k", permissions: ["conversations:*"], expiresAt, rateLimit });
  const { keyId = "", key = "" } = result ?? {};
  const asDashboard = await latchkey.dashboard(tenant);
  const http = async (path: string, body: object, headers: Record<string, string>) =>
    (await latchkey.call(`/api/v1${path}`, body, headers)).json;
  const parsed = (value: unknown) => JSON.parse(JSON.stringify(value));

  // Before the key is used, which changes its record.
  const list = await apiKeys.listApiKeys({});
  const listed = await http("/api-keys/list", {}, asDashboard);
  expect(parsed(list)).toEqual(listed);
  expect(parsed({ keys: list.keys })).toEqual({ keys: listed.keys });
  expect(parsed(list.keys[0]?.expiresAt)).toBe(listed.keys[0].expires_at);
  expect(parsed(await apiKeys.getApiKey({ keyId }))).toEqual(
    await http("/api-keys/get", { key_id: keyId }, asDashboard),
  );

  const { auth, gateway, sendAndWait } = secretKeyClient(latchkey, key);
  const { runId, messageId, text, ...sent } = await sendAndWait({ conversationKey: "c", text: ["Hi", "again"] });
  const asKey = { "x-api-key": key };
  const state = await http("/llm/gateway/get-conversation-state", { conversation_key: "c" }, asKey);
  expect(parsed(await gateway.getConversationState({ conversationKey: "c" }))).toEqual(state);
  expect(parsed({ runId, messageId, text, ...sent })).toEqual({ runId, messageId, text, reply: state.messages[1] });
  expect(parsed(await gateway.listThreads({}))).toEqual(await http("/llm/gateway/list-threads", {}, asKey));
  const caller = { caller: "CALLER_SECRET_KEY", tenant_id: tenant, key_id: keyId };
  expect(parsed(await auth.verify({}))).toMatchObject(caller);
});

test("an answer is otherwise an ordinary message: to compare, clone, print and read", async () => {
  const dashboard = dashboardClient(latchkey);
  await newKey(dashboard, "conversations:read");
  const [record] = (await dashboard.apiKeys.listApiKeys({})).keys;
  if (record === undefined) throw new Error("there is no key");
  const copy = clone(ApiKeySchema, record);
  deepStrictEqual(record, copy);
  deepStrictEqual(structuredClone(record), copy);
  expect(Object.keys(record)).toEqual(Object.keys(copy));
  // But for its times, which are printed as such.
  const times = (text: string) =>
    text.replace(/\{\s+'\$typeName': 'google.protobuf.Timestamp',[^}]+\}|[\d-]+T[\d:.]+Z/g, "time");
  expect(times(inspect(record))).toBe(times(inspect(copy)));
  expect(inspect(record)).not.toBe(inspect(copy));
  expect(isMessage(record, ApiKeySchema)).toBe(true);
  expect(toJson(ApiKeySchema, record)).toEqual(toJson(ApiKeySchema, create(ApiKeySchema, copy)));
  expect(record.createdAt && timestampDate(record.createdAt)).toBeInstanceOf(Date);
  expect(typeof record.createdAt?.seconds).toBe("bigint");
});

test("fromJson makes messages of what JSON.stringify or the HTTP API wrote, also of a later version", async () => {
  const dashboard = dashboardClient(latchkey);
  await newKey(dashboard, "conversations:read");
  const list = await dashboard.apiKeys.listApiKeys({});
  const stored = { ...JSON.parse(JSON.stringify(list)), younger: 1 };
  expect(equals(ListApiKeysResponseSchema, fromJson(ListApiKeysResponseSchema, stored), list)).toBe(true);
});
