// promise: json.unknown
import { describe, expect, test } from "vitest";
import { bodySender } from "../harness/body-sender.ts";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { dashboardOf, OIDC } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

const CREATE = "/api/v1/api-keys/create";
const LIST = "/api/v1/api-keys/list";
const VALID = { name: "a key", permissions: ["conversations:read"] };

const latchkey = await sharedLatchkey();

const send = bodySender(() => latchkey);
const create = async (fields: object): Promise<Answer> => send(CREATE, JSON.stringify({ ...VALID, ...fields }));

describe("unknown members", () => {
  // threat: B12
  test.each([
    [{ "expires-at": "2030-01-01T00:00:00Z" }, "expires-at", "expires_at"],
    [{ ratelimit: {} }, "ratelimit", "rate_limit"],
    [{ keytype: "KEY_TYPE_SECRET" }, "keytype", "keyType"],
    [{ Name: "x" }, "Name", "name"],
    [{ permision: [] }, "permision", "permissions"],
    [{ PERMISSIONS: [] }, "PERMISSIONS", "permissions"],
    [{ scopes: [] }, "scopes", "permissions"],
    [{ type: "x" }, "type", "keyType"],
    [{ rate_limit: { requests_minute: 1 } }, "rate_limit.requests_minute", "requests_per_minute"],
    [{ rate_limit: { rpm: 1 } }, "rate_limit.rpm", "requests_per_minute"],
    [{ publishableConfig: { odic: {} } }, "publishableConfig.odic", "oidc"],
    [{ publishableConfig: { oidc: { jwksuri: "" } } }, "publishableConfig.oidc.jwksuri", "jwksUrl"],
  ])("%j is 400 with its path, and the message suggests the nearest member", async (fields, path, offered) => {
    expectInvalid(await create(fields), path, `did you mean "${offered}`);
  });

  test.each([
    [CREATE, { tenant_id: "t" }, "tenant_id", "this request takes name, description, keyType, permissions, rate_limit"],
    [CREATE, { rate_limit: { daily: 1 } }, "rate_limit.daily", "takes requests_per_minute, requests_per_hour, burst"],
    [LIST, { q: "name" }, "q", "this request takes page, per_page, status"],
    [LIST, { limit: 5 }, "limit", 'did you mean "per_page"'],
    [LIST, { size: 5 }, "size", 'did you mean "per_page"'],
    ["/api/v1/api-keys/get", { tenant_id: "t" }, "tenant_id", "this request takes key_id"],
  ])("of %s, %j resembles no member, and the message lists all members", async (path, body, field, says) => {
    expectInvalid(await send(path, JSON.stringify(body)), field, says);
  });

  test.each([
    [{ oidc: {} }, "oidc", "publishableConfig"],
    [{ issuer: "x" }, "issuer", "publishableConfig.oidc"],
    [{ jwks_url: "x" }, "jwks_url", "publishableConfig.oidc"],
    [{ publishableConfig: { audience: "x" } }, "publishableConfig.audience", "publishableConfig.oidc"],
    [{ burst_size: 1 }, "burst_size", "rate_limit"],
  ])("%j is in the wrong place, and the message names the right one", async (fields, path, place) => {
    const answer = await create(fields);
    expectInvalid(answer, path);
    expect(answer.json.message).toMatch(new RegExp(`it belongs into ${place}$`));
  });

  test.each([null, false, 0, "", [], {}])("an unknown member with the value %j is 400", async (value) => {
    expectInvalid(await create({ ttl: value }), "ttl");
  });

  test("__proto__ and constructor are unknown members without any effect", async () => {
    expectInvalid(await send(CREATE, '{"__proto__":{"name":"x"}}'), "__proto__");
    expectInvalid(await create({ constructor: { prototype: {} } }), "constructor");
    expectInvalid(await send(LIST, '{"toString":1}'), "toString");
  });

  test("the name of an unknown member is repeated shortened and without control characters", async () => {
    for (const member of ["x".repeat(100_000), "a\r\nb\u001b\u202e\ud800"]) {
      const answer = await send(LIST, JSON.stringify({ [member]: 1 }));
      expectFault(answer, 400, "invalid_argument");
      expect(answer.json.field).toMatch(/^[\x20-\x7e]{1,128}$/);
      // Once in the message, and in the field and its typed detail.
      expect(answer.text.length).toBeLessThan(1_000);
    }
  });

  test("the proto name of a member is accepted beside its JSON name", async () => {
    const dashboard = dashboardOf(latchkey);
    const { issuer, audience, jwksUrl } = OIDC;
    const oidc = { issuer, audience, jwks_url: jwksUrl, user_id_claim: "uid", required_claims: { a: "b" } };
    const byProtoName = { key_type: "KEY_TYPE_PUBLISHABLE", publishable_config: { oidc } };
    const { key_id } = await dashboard.createKey(byProtoName);
    const record = await dashboard.result("get", { key_id });
    expect(record.keyType).toBe("KEY_TYPE_PUBLISHABLE");
    expect(record.publishableConfig.oidc).toEqual({ ...OIDC, userIdClaim: "uid", requiredClaims: { a: "b" } });
    expect(record).not.toHaveProperty("key_type");
  });

  test("a field of a binary message that the service does not know is ignored, as protobuf has it", async () => {
    // The field 1,000, an empty text.
    const body = new Uint8Array([0xc2, 0x3e, 0x00]);
    const headers = { ...(await latchkey.dashboard()), "content-type": "application/proto" };
    expect((await send("/latchkey.v1.ApiKeyService/ListApiKeys", body, headers)).status).toBe(200);
  });

  test("the message about a member has the name under which it was sent", async () => {
    expectInvalid(await create({ key_type: "x" }), "key_type");
    expectInvalid(await create({ publishable_config: { oidc: 1 } }), "publishable_config.oidc");
  });
});
