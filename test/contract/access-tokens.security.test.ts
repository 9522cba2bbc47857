// promise: access.is-the-key, access.ends, access.spends, access.named, access.erased
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { Authorization } from "../../gen/envoy/service/auth/v3/external_auth_pb.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { OPERATOR } from "../harness/operator.ts";

const latchkey = await sharedLatchkey();

const verify = (headers: Record<string, string>, body: object = {}) =>
  latchkey.call("/api/v1/auth/verify", body, headers);

/** A key with a token, and what becomes of calls with it. */
async function keyAndToken(fields: Record<string, unknown> = {}, token: Record<string, unknown> = {}) {
  const key = await derivingKey(latchkey, { permissions: ["plans:*", "users:impersonate"], ...fields });
  const derived = await key.derive({ scopes: ["plans:*"], ...token });
  const bearer = { authorization: `Bearer ${derived.token}` };
  const reason = async (body: object = { scope: "plans:read" }, more: Record<string, string> = {}) => {
    const { status, json } = await verify({ ...bearer, ...more }, body);
    return status === 200 ? undefined : json.denial_reason;
  };
  return {
    key,
    bearer,
    reason,
    token_id: derived.token_id,
    token: derived.token,
    management: dashboardOf(latchkey, key.tenant),
  };
}

describe("a token is accepted, and named,", () => {
  test("by Verify, with its own rights and the limit of its key", async () => {
    const { key, bearer, token_id } = await keyAndToken({ rate_limit: { requests_per_minute: 9 } }, { user_id: "jo" });
    const { json, headers } = await verify(bearer);
    expect(json).toMatchObject({
      ...{ caller: "CALLER_SECRET_KEY", tenant_id: key.tenant, key_id: key.key_id, token_id },
      ...{ permissions: ["plans:*"], user_id: "jo", acting_for: "jo", rate_limit: { limit: 9, remaining: 7 } },
    });
    expect(headers.get("x-ratelimit-remaining")).toBe("7");
    expect((await verify(key.headers)).json).not.toHaveProperty("token_id");
  });

  test("by /auth/check and by Envoy's check, in the same headers", async () => {
    const { key, bearer, token_id } = await keyAndToken();
    const { status, headers } = await fetch(`${latchkey.url}/auth/check?scope=plans:read`, { headers: bearer });
    expect(status).toBe(200);
    const expected = {
      ...{ "x-auth-caller": "secret_key", "x-auth-tenant-id": key.tenant, "x-auth-key-id": key.key_id },
      ...{ "x-auth-user-id": "", "x-auth-token-id": token_id, "x-auth-permissions": "plans:*" },
      ...{ "x-auth-acting-for": "", "x-auth-external-id": "", "x-auth-metadata": "" },
    };
    expect(Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-auth-")))).toEqual(expected);
    const envoy = createClient(Authorization, createGrpcTransport({ baseUrl: latchkey.url }));
    const { httpResponse } = await envoy.check({
      attributes: { request: { http: { headers: bearer } }, contextExtensions: { scope: "plans:read" } },
    });
    if (httpResponse.case !== "okResponse") throw new Error("denied");
    const sent = httpResponse.value.headers.map(({ header }) => [header?.key, header?.value]);
    expect(Object.fromEntries(sent)).toEqual(expected);
  });

  test("over Connect and gRPC", async () => {
    const { bearer, token_id } = await keyAndToken();
    const baseUrl = latchkey.url;
    for (const transport of [
      createConnectTransport({ baseUrl, httpVersion: "1.1" }),
      createGrpcTransport({ baseUrl }),
    ]) {
      expect(await createClient(AuthService, transport).verify({}, { headers: bearer })).toMatchObject({
        tokenId: token_id,
      });
    }
  });
});

describe("a token is refused", () => {
  // threat: D4
  test("with the key's reason, from the answer to the change on, and accepted again where the key is", async () => {
    const { key, reason, management } = await keyAndToken();
    const { key_id } = key;
    const update = (fields: object) =>
      management.result("update", { key_id, ...fields, update_mask: Object.keys(fields).join(",") });
    expect(await reason()).toBeUndefined();
    await update({ permissions: ["conversations:read"] });
    expect(await reason()).toBe("insufficient_scope");
    await update({ permissions: ["plans:read"] });
    expect([await reason(), await reason({ scope: "plans:write" })]).toEqual([undefined, "insufficient_scope"]);
    await update({ permissions: ["*"] });
    expect([await reason(), await reason({ scope: "users:read" })]).toEqual([undefined, "insufficient_scope"]);
    await update({ allowed_ips: ["198.51.100.7"] });
    expect(await reason()).toBe("origin_not_allowed");
    await update({ allowed_ips: [] });
    await management.result("disable", { key_id });
    expect(await reason()).toBe("api_key_disabled");
    await management.result("enable", { key_id });
    for (const [verb, expected] of [
      ["suspend", "api_key_disabled"],
      ["resume", undefined],
    ] as const) {
      await latchkey.call(`/api/v1/operator/tenants/${verb}`, { tenant_id: key.tenant }, OPERATOR);
      expect(await reason()).toBe(expected);
    }
    await management.result("revoke", { key_id });
    expect(await reason()).toBe("api_key_revoked");
  });

  test("with jwt_expired at its end, and with api_key_expired after a rotation without a grace period", async () => {
    latchkey.clock.stand();
    const rotated = await keyAndToken();
    await rotated.management.result("rotate", { key_id: rotated.key.key_id, grace_period_hours: 0 });
    expect(await rotated.reason()).toBe("api_key_expired");
    const { reason } = await keyAndToken({}, { ttl_seconds: 60 });
    latchkey.clock.advance(59_000);
    expect(await reason()).toBeUndefined();
    latchkey.clock.advance(1_000);
    expect(await reason()).toBe("jwt_expired");
  });

  // threat: D2
  test("once its tenant or its user is erased", async () => {
    const [ofUser, ofTenant] = [await keyAndToken({}, { user_id: "jo" }), await keyAndToken()];
    expect([await ofUser.reason(), await ofTenant.reason()]).toEqual([undefined, undefined]);
    const user = { tenant_id: ofUser.key.tenant, user_id: "jo" };
    const erased = await latchkey.call("/api/v1/operator/users/erase", user, OPERATOR);
    expect(erased.json.result.removed.access_tokens).toBe(1);
    await latchkey.call("/api/v1/operator/tenants/erase", { tenant_id: ofTenant.key.tenant }, OPERATOR);
    expect([await ofUser.reason(), await ofTenant.reason()]).toEqual(["token_revoked", "token_revoked"]);
    expect((await verify(ofUser.key.headers)).status).toBe(200);
  });

  test("with a challenge that says the token is invalid (RFC 6750)", async () => {
    const { key, bearer, token_id } = await keyAndToken();
    await latchkey.call("/api/v1/tokens/revoke", { token_id }, key.headers);
    const { status, headers } = await verify(bearer);
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toBe(
      'Bearer realm="latchkey", error="invalid_token", error_description="This token was revoked, which is permanent; get a new one."',
    );
  });

  // threat: D5
  test("by what keys cannot do: it makes no key, and derives no other token", async () => {
    const { bearer } = await keyAndToken({ permissions: ["*"] }, { scopes: ["*"] });
    const create = { name: "stronger", permissions: ["*"] };
    expect((await latchkey.call("/api/v1/api-keys/create", create, bearer)).json.denial_reason).toBe(
      "insufficient_scope",
    );
    const derived = await latchkey.call("/api/v1/tokens/derive", { scopes: ["plans:read"] }, bearer);
    expect([derived.status, derived.json.reason]).toEqual([403, "token_not_allowed"]);
  });
});

test("a token spends the one limit of its key", async () => {
  const { key, reason, bearer } = await keyAndToken({ rate_limit: { requests_per_minute: 3 } });
  // The derivation was the first.
  expect(await reason()).toBeUndefined();
  expect((await verify(key.headers)).status).toBe(200);
  expect(await reason()).toBe("rate_limited");
  expect((await verify(bearer)).headers.get("retry-after")).toMatch(/^\d+$/);
});

test("the log has the token's id in the line of each request by it, also of one that is refused, and never the token", async () => {
  const { key, bearer, token_id, token } = await keyAndToken();
  await latchkey.call("/api/v1/tokens/revoke", { token_id }, bearer);
  const { headers } = await verify(bearer);
  const line = () => latchkey.logLines.find((one) => one.includes(headers.get("x-request-id") ?? "none"));
  await expect.poll(line).toContain(`"key_id":"${key.key_id}","token_id":"${token_id}"`);
  expect(latchkey.logLines.join("")).not.toContain(token.split(".")[2]);
});

test("the uses of a token are uses of its key", async () => {
  const { key, reason, management, token_id } = await keyAndToken();
  await reason();
  await latchkey.call("/api/v1/tokens/revoke", { token_id }, key.headers);
  await reason();
  const usage = await management.result("usage", { key_id: key.key_id });
  // The derivation and the revocation, too.
  expect(usage).toMatchObject({ total_verifications: 4, successful_verifications: 3, failed_verifications: 1 });
});
