// promise: json.present, json.timestamps, errors.form, keys.type, keys.record, oidc.narrowing, limits.unlimited
import { describe, expect, test } from "vitest";
import type { Answer } from "../harness/http.ts";
import { type Dashboard, dashboardOf, instant, OIDC, PUBLISHABLE } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { HOUR } from "../harness/test-clock.ts";

const UNLIMITED = { requests_per_minute: 0, requests_per_hour: 0, burst_size: 0, unlimited: true };

const latchkey = await sharedLatchkey();

const USER = {
  kind: "dashboard_user",
  user_id: "user-1",
  issuer: latchkey.provider.issuer,
  key_id: "",
  operator_token: 0,
};

/** The record of a key with nothing but what every key has. */
const LEAST = {
  key_id: "<key_id 1>",
  key_prefix: "<sk prefix>",
  name: "least",
  description: "",
  keyType: "KEY_TYPE_SECRET",
  permissions: ["plans:read"],
  rate_limit: UNLIMITED,
  created_at: "<time>",
  status: "KEY_STATUS_ACTIVE",
  updated_at: "<time>",
  created_by: USER,
  allowed_ips: [],
  allowed_origins: [],
};

/** The body of an answer with what differs from run to run replaced by its kind; ids are numbered as they occur. */
function golden(answer: Answer): unknown {
  const ids = new Map<string, string>();
  const text = answer.text
    .replace(/"(sk|pk)_[0-9A-Za-z]{36}"/g, '"<$1 key>"')
    .replace(/"(sk|pk)_[0-9A-Za-z]{9}"/g, '"<$1 prefix>"')
    .replace(/key_[0-9a-f]{32}/g, (id) => {
      ids.set(id, ids.get(id) ?? `<key_id ${ids.size + 1}>`);
      return ids.get(id) ?? id;
    })
    .replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z"/g, '"<time>"');
  return JSON.parse(text);
}

async function leastKey(dashboard: Dashboard): Promise<string> {
  return (await dashboard.createKey({ name: "least", permissions: ["plans:read"] })).key_id;
}

describe("new keys", () => {
  test("create returns a secret key", async () => {
    const answer = await dashboardOf(latchkey).call("create", { name: "a", permissions: ["*"] });
    expect(golden(answer)).toStrictEqual({
      result: { key_id: "<key_id 1>", key: "<sk key>", key_prefix: "<sk prefix>" },
    });
  });

  test("create returns a publishable key", async () => {
    const answer = await dashboardOf(latchkey).call("create", {
      name: "a",
      permissions: ["plans:read"],
      ...PUBLISHABLE,
    });
    expect(golden(answer)).toStrictEqual({
      result: { key_id: "<key_id 1>", key: "<pk key>", key_prefix: "<pk prefix>" },
    });
  });

  test("rotate returns the successor", async () => {
    const dashboard = dashboardOf(latchkey);
    const answer = await dashboard.call("rotate", { key_id: await leastKey(dashboard) });
    expect(golden(answer)).toStrictEqual({
      result: { key_id: "<key_id 1>", key: "<sk key>", key_prefix: "<sk prefix>" },
    });
  });
});

describe("records", () => {
  test("get returns a key with only the required members without the optional ones", async () => {
    const dashboard = dashboardOf(latchkey);
    const answer = await dashboard.call("get", { key_id: await leastKey(dashboard) });
    expect(golden(answer)).toStrictEqual({ result: LEAST });
  });

  test("get returns a secret key with everything that it was created with", async () => {
    const dashboard = dashboardOf(latchkey);
    const rate_limit = { requests_per_minute: 60, requests_per_hour: 2_147_483_647, burst_size: 1 };
    const { key_id } = await dashboard.createKey({
      name: "most",
      description: 'with "quotes", <tags> & 😀',
      permissions: ["plans:*", "users:impersonate"],
      rate_limit,
      expires_at: instant(latchkey, HOUR),
    });
    expect(golden(await dashboard.call("get", { key_id }))).toStrictEqual({
      result: {
        ...LEAST,
        name: "most",
        description: 'with "quotes", <tags> & 😀',
        permissions: ["plans:*", "users:impersonate"],
        rate_limit,
        expires_at: "<time>",
      },
    });
  });

  // threat: B11
  test("get returns every member of a publishable key's configuration", async () => {
    const dashboard = dashboardOf(latchkey);
    const oidc = { ...OIDC, userIdClaim: "user.id", requiredClaims: { "a.b": "1", "https://x.example/role": "" } };
    const { key_id } = await dashboard.createKey({ ...PUBLISHABLE, publishableConfig: { oidc } });
    expect(golden(await dashboard.call("get", { key_id }))).toStrictEqual({
      result: {
        ...LEAST,
        key_prefix: "<pk prefix>",
        name: "test key",
        keyType: "KEY_TYPE_PUBLISHABLE",
        permissions: ["conversations:*"],
        publishableConfig: { oidc },
      },
    });
  });

  test("get returns the optional members of a publishable key's configuration where they are set", async () => {
    const dashboard = dashboardOf(latchkey);
    const oidc = {
      ...OIDC,
      userIdClaim: "sub",
      requiredClaims: {},
      audienceClaim: "client_id",
      authorizedParties: ["web", "ios"],
      tokenType: "access",
      claimRules: [
        { claim: "email_verified", equals: true },
        { claim: "level", equals: 2.5 },
        { claim: "token_use", equals: "access" },
        { claim: "groups", contains: "staff" },
      ],
      userIdPrefix: "cognito|",
    };
    const { key_id } = await dashboard.createKey({ ...PUBLISHABLE, publishableConfig: { oidc } });
    expect((await dashboard.result("get", { key_id })).publishableConfig).toStrictEqual({ oidc });
    expect((await dashboard.call("list", {})).json.keys[0].publishableConfig).toStrictEqual({ oidc });
  });

  test("get returns the defaults of a publishable key's configuration", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey(PUBLISHABLE);
    const { publishableConfig } = await dashboard.result("get", { key_id });
    expect(publishableConfig).toStrictEqual({ oidc: { ...OIDC, userIdClaim: "sub", requiredClaims: {} } });
  });

  test("get omits the configuration of a publishable key that has none", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key_id } = await dashboard.createKey({ keyType: "KEY_TYPE_PUBLISHABLE" });
    expect(golden(await dashboard.call("get", { key_id }))).toStrictEqual({
      result: {
        ...LEAST,
        key_prefix: "<pk prefix>",
        name: "test key",
        keyType: "KEY_TYPE_PUBLISHABLE",
        permissions: ["conversations:*"],
      },
    });
  });

  test("update returns the record", async () => {
    const dashboard = dashboardOf(latchkey);
    const key_id = await leastKey(dashboard);
    const body = { key_id, name: "new", description: "d", update_mask: "name,description" };
    expect(golden(await dashboard.call("update", body))).toStrictEqual({
      result: { ...LEAST, name: "new", description: "d" },
    });
  });

  test("disable and enable return the record", async () => {
    const dashboard = dashboardOf(latchkey);
    const key_id = await leastKey(dashboard);
    expect(golden(await dashboard.call("disable", { key_id }))).toStrictEqual({
      result: { ...LEAST, status: "KEY_STATUS_DISABLED" },
    });
    expect(golden(await dashboard.call("enable", { key_id }))).toStrictEqual({ result: LEAST });
  });

  test("revoke returns the record with revoked_at", async () => {
    const dashboard = dashboardOf(latchkey);
    const key_id = await leastKey(dashboard);
    expect(golden(await dashboard.call("revoke", { key_id }))).toStrictEqual({
      result: { ...LEAST, status: "KEY_STATUS_REVOKED", revoked_at: "<time>", revoked_by: USER },
    });
  });

  test("list returns records and the pagination, and the two keys of a rotation name each other", async () => {
    const dashboard = dashboardOf(latchkey);
    await dashboard.result("rotate", { key_id: await leastKey(dashboard), grace_period_hours: 0 });
    expect(golden(await dashboard.call("list", {}))).toStrictEqual({
      keys: [
        { ...LEAST, rotated_from: "<key_id 2>" },
        {
          ...LEAST,
          key_id: "<key_id 2>",
          expires_at: "<time>",
          status: "KEY_STATUS_EXPIRED",
          rotated_to: "<key_id 1>",
        },
      ],
      pagination: { total: 2, page: 1, per_page: 20, total_pages: 1 },
      next_page_token: "",
    });
  });

  test("an empty list is printed as []", async () => {
    expect(golden(await dashboardOf(latchkey).call("list", { page: 3, per_page: 7 }))).toStrictEqual({
      keys: [],
      pagination: { total: 0, page: 3, per_page: 7, total_pages: 0 },
      next_page_token: "",
    });
  });

  test("a key that was used has last_used_at", async () => {
    const dashboard = dashboardOf(latchkey);
    const { key, key_id } = await dashboard.createKey({ name: "least", permissions: ["plans:read"] });
    await latchkey.call("/api/v1/auth/verify", {}, { "x-api-key": key });
    await dashboard.call("usage", { key_id });
    expect(golden(await dashboard.call("get", { key_id }))).toStrictEqual({
      result: { ...LEAST, last_used_at: "<time>" },
    });
  });
});

describe("usage", () => {
  test("of an unused key is three zeros", async () => {
    const dashboard = dashboardOf(latchkey);
    expect(golden(await dashboard.call("usage", { key_id: await leastKey(dashboard) }))).toStrictEqual({
      result: { total_verifications: 0, successful_verifications: 0, failed_verifications: 0 },
    });
  });
});

describe("errors", () => {
  const info = (reason: string) => [
    {
      type: "latchkey.v1.ErrorInfo",
      value: expect.stringMatching(/^[A-Za-z0-9+/]+$/),
      debug: { reason, field: "key_id" },
    },
  ];

  test("a fault has a code, a reason, the member at fault and a message that names it", async () => {
    expect(golden(await dashboardOf(latchkey).call("get", {}))).toStrictEqual({
      code: "invalid_argument",
      reason: "required",
      field: "key_id",
      message: expect.stringMatching(/^key_id: is required/),
      details: info("ERROR_REASON_REQUIRED"),
    });
  });

  test("an unknown key has a code, a reason and a message", async () => {
    expect(golden(await dashboardOf(latchkey).call("get", { key_id: "x" }))).toStrictEqual({
      code: "not_found",
      reason: "key_not_found",
      field: "key_id",
      message: expect.stringMatching(/^key_id: /),
      details: info("ERROR_REASON_KEY_NOT_FOUND"),
    });
  });

  test("a denial has denial_reason, and the same as a typed detail", async () => {
    const answer = await latchkey.call("/api/v1/api-keys/get", {}, {});
    expect(golden(answer)).toStrictEqual({
      code: "unauthenticated",
      reason: "missing_credentials",
      message: expect.any(String),
      details: [
        {
          type: "latchkey.v1.Denial",
          value: expect.stringMatching(/^[A-Za-z0-9+/]+$/),
          debug: { reason: "DENIAL_REASON_MISSING_CREDENTIALS" },
        },
      ],
      denial_reason: "missing_credentials",
    });
  });
});

describe("timestamps", () => {
  test("are in UTC, to the millisecond at most, and without a fraction of zero", async () => {
    const dashboard = dashboardOf(latchkey);
    const year = latchkey.clock.now().getUTCFullYear() + 1;
    for (const [sent, shown] of [
      [`${year}-01-31T12:00:00Z`, `${year}-01-31T12:00:00Z`],
      [`${year}-01-31T12:00:00.000Z`, `${year}-01-31T12:00:00Z`],
      [`${year}-01-31T12:00:00.5Z`, `${year}-01-31T12:00:00.500Z`],
      [`${year}-01-31T12:00:00.123Z`, `${year}-01-31T12:00:00.123Z`],
      [`${year}-01-31T12:00:00+05:30`, `${year}-01-31T06:30:00Z`],
      [`${year}-01-31T12:00:00-11:00`, `${year}-01-31T23:00:00Z`],
      ["9998-12-31T23:59:59.999Z", "9998-12-31T23:59:59.999Z"],
    ]) {
      const { key_id } = await dashboard.createKey({ expires_at: sent });
      expect((await dashboard.result("get", { key_id })).expires_at).toBe(shown);
    }
  });
});
