// promise: keys.metadata
import { Code, createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ApiKeyService } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { expectInvalid } from "../harness/error-answers.ts";
import type { JsonObject } from "../harness/http.ts";
import { dashboardOf, PUBLISHABLE } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";
import { WIRES } from "../harness/wires.ts";

const TAGS = {
  metadata: { plan: "pro", seats: 12.5, tags: ["a", { b: null }], "": false, __proto__x: { "😀": 1e300 } },
  external_id: "customer 7 / ä",
};

const DEEP = JSON.parse(`${'{"a":'.repeat(33)}1${"}".repeat(33)}`);

const latchkey = await sharedLatchkey();

const tagsOf = ({ metadata, external_id }: JsonObject) => ({ metadata, external_id });
const verify = (key: string) => latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });

describe("metadata and external_id", () => {
  test("are returned by get, list and verify as they were created, and to the operator", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey(TAGS);
    expect(tagsOf(await dashboard.result("get", { key_id }))).toEqual(TAGS);
    expect(tagsOf((await dashboard.call("list", {})).json.keys[0])).toEqual(TAGS);
    expect(tagsOf((await verify(key)).json)).toEqual(TAGS);
    const found = await latchkey.call("/api/v1/operator/keys/find", { key_id }, OPERATOR);
    expect(tagsOf(found.json.keys[0])).toEqual(TAGS);
  });

  test("are absent where they are not set: nothing else is in any response", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ metadata: null, external_id: null });
    const found = [await dashboard.result("get", { key_id }), (await dashboard.call("list", {})).json.keys[0]];
    for (const record of [...found, (await verify(key)).json]) {
      expect(Object.keys(record)).not.toContain("metadata");
      expect(Object.keys(record)).not.toContain("external_id");
    }
  });

  test("an empty object is metadata, and is returned", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ metadata: {} });
    expect((await dashboard.result("get", { key_id })).metadata).toEqual({});
  });

  test("go over to the successor of a rotation", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey(TAGS);
    const { key } = await dashboard.result("rotate", { key_id });
    expect(tagsOf((await verify(key)).json)).toEqual(TAGS);
  });

  test("change with an update that names them, and bind at the next request", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey(TAGS);
    await verify(key);
    const metadata = { plan: "free" };
    const unnamed = { key_id, metadata, external_id: "8", name: "b", update_mask: "name" };
    expect(tagsOf(await dashboard.result("update", unnamed))).toEqual(TAGS);
    for (const update_mask of ["metadata,external_id", "metadata, externalId"]) {
      const changed = await dashboard.result("update", { key_id, metadata, external_id: "8", update_mask });
      expect(tagsOf(changed)).toEqual({ metadata, external_id: "8" });
      expect(tagsOf((await verify(key)).json)).toEqual({ metadata, external_id: "8" });
    }
  });

  test("are cleared where the mask names them and the request has none", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey(TAGS);
    await dashboard.result("update", { key_id, update_mask: "metadata" });
    expect(tagsOf((await verify(key)).json)).toEqual({ external_id: TAGS.external_id });
    await dashboard.result("update", { key_id, external_id: "", update_mask: "external_id" });
    expect(tagsOf((await verify(key)).json)).toEqual({});
  });

  test("are on publishable keys and on those that the operator creates", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ ...PUBLISHABLE, ...TAGS });
    expect(tagsOf(await dashboard.result("get", { key_id }))).toEqual(TAGS);
    const body = { tenant_id: dashboard.tenant, name: "a", permissions: ["plans:read"], ...TAGS };
    const made = await latchkey.call("/api/v1/operator/keys/create", body, OPERATOR);
    expect(tagsOf(await dashboard.result("get", { key_id: made.json.result.key_id }))).toEqual(TAGS);
  });

  test("of a binary message are checked and kept like those of JSON", async () => {
    const dashboard = dashboardOf(latchkey);
    for (const wire of WIRES.filter(({ name, secure }) => !secure && name.includes("binary"))) {
      const client = createClient(ApiKeyService, wire.transport(latchkey.url));
      const headers = await latchkey.dashboard(dashboard.tenant);
      const key = { name: "a", permissions: ["plans:read"] };
      await client.createApiKey({ ...key, metadata: TAGS.metadata }, { headers });
      const { keys } = await client.listApiKeys({ perPage: 1 }, { headers });
      expect(keys[0]?.metadata).toEqual(TAGS.metadata);
      for (const metadata of [{ a: "\0" }, { "\0": 1 }, { a: "x".repeat(4_089) }, DEEP, { a: Number.NaN }]) {
        const made = client.createApiKey({ ...key, metadata }, { headers });
        await expect(made, JSON.stringify(metadata)).rejects.toMatchObject({ code: Code.InvalidArgument });
      }
    }
  });
});

describe("a request is 400 and names the member", () => {
  const cases: [JsonObject, string, string][] = [
    [{ metadata: [] }, "metadata", "must be an object"],
    [{ metadata: "{}" }, "metadata", "must be an object"],
    [{ metadata: 1 }, "metadata", "must be an object"],
    [{ metadata: { a: "x".repeat(4_089) } }, "metadata", "must be at most 4096 bytes as JSON, not 4097"],
    [{ metadata: { a: "\0" } }, "metadata", "NUL"],
    [{ metadata: { "a\0": 1 } }, "metadata", "NUL"],
    [{ metadata: DEEP }, "metadata", "must be nested at most 32 levels deep"],
    [{ external_id: "😀".repeat(257) }, "external_id", "must be at most 256 characters"],
    [{ external_id: 7 }, "external_id", "must be a string"],
    [{ external_id: "\0" }, "external_id", "NUL"],
  ];

  test.each(cases)("case %#", async (fields, member, says) => {
    const dashboard = dashboardOf(latchkey);
    expectInvalid(await dashboard.call("create", { name: "a", permissions: ["*"], ...fields }), member, says);
    const { key_id } = await dashboard.createKey(TAGS);
    expectInvalid(await dashboard.call("update", { key_id, ...fields, update_mask: member }), member, says);
    expect(tagsOf(await dashboard.result("get", { key_id }))).toEqual(TAGS);
  });

  test.each(['{"a":1e400}', '{"a":[-1e999]}'])("the number in %s is beyond those of a double", async (metadata) => {
    const dashboard = dashboardOf(latchkey);
    const body = `{"name":"a","permissions":["*"],"metadata":${metadata}}`;
    expectInvalid(await dashboard.call("create", body), "metadata", "beyond those of a double");
  });

  test("a member of metadata that is there twice", async () => {
    const body = '{"name":"a","permissions":["*"],"metadata":{"b":{"c":1,"c":2}}}';
    expectInvalid(await dashboardOf(latchkey).call("create", body), "metadata.b.c", "is given twice");
  });
});

test("the audit trail says that metadata and external_id changed, and none of their values", async () => {
  const dashboard = dashboardOf(latchkey);
  const secret = { metadata: { owner: "jo@example.com" }, external_id: "jo@example.com" };
  const { key_id } = await dashboard.createKey(secret);
  const changed = { metadata: { owner: "mo@example.com" }, external_id: "mo@example.com" };
  const update_mask = "metadata,external_id";
  await dashboard.result("update", { key_id, ...changed, update_mask });
  await dashboard.result("update", { key_id, ...changed, update_mask });
  await dashboard.result("update", { key_id, update_mask });
  await dashboard.result("rotate", { key_id });
  const listed = await latchkey.call("/api/v1/audit/list", {}, await latchkey.dashboard(dashboard.tenant));
  expect(listed.text).not.toContain("@example.com");
  const updates = listed.json.events.filter(({ action }: JsonObject) => action === "api_key.updated");
  expect(updates.map(({ changes }: JsonObject) => changes)).toEqual([
    { metadata: {}, external_id: {} },
    { metadata: {}, external_id: {} },
  ]);
});
