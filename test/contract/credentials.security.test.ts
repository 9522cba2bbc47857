// promise: callers.order, callers.missing, callers.key-decides, callers.acted-for, callers.header-form, paths.cors
import { describe, expect, test } from "vitest";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import { dashboardOf, instant } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { HOUR } from "../harness/test-clock.ts";

const LIST = "/api/v1/llm/gateway/list-threads";

const latchkey = await sharedLatchkey();

/** A call with header lines exactly as given; answers its status and the reason of its denial. */
async function raw(...lines: string[]): Promise<string> {
  const head = [`POST ${LIST} HTTP/1.1`, "Host: x", "Content-Type: application/json", "Content-Length: 2", ...lines];
  const answer = await sendRaw(latchkey.url, `${head.join("\r\n")}\r\nConnection: close\r\n\r\n{}`);
  return `${answer.slice(9, 12)} ${/"denial_reason":"(\w+)"/.exec(answer)?.[1] ?? ""}`.trim();
}

async function newKey(permissions = ["conversations:read", "users:impersonate"]): Promise<string> {
  return (await latchkey.createKey(await latchkey.dashboard(), { permissions })).key;
}

/** A key, and its tenant. */
async function keyOfTenant(): Promise<{ readonly tenant: string; readonly key: string }> {
  const tenant = newTenant();
  const { key } = await latchkey.createKey(await latchkey.dashboard(tenant), { permissions: ["conversations:*"] });
  return { tenant, key };
}

describe("two values of a credential header", () => {
  // threat: K6, X14, J21
  test("are denied, even if one of them is valid", async () => {
    const key = await newKey();
    const token = await latchkey.dashboardToken();
    expect(await raw(`X-API-Key: ${key}`, `X-API-Key: ${key}`)).toBe("401 api_key_invalid");
    expect(await raw(`X-API-Key: ${key}`, "x-api-key: sk_other")).toBe("401 api_key_invalid");
    expect(await raw(`Authorization: Bearer ${token}`, "Authorization: Bearer x")).toBe("401 jwt_malformed");
    expect(await raw("Authorization: Bearer x", `Authorization: Bearer ${token}`)).toBe("401 jwt_malformed");
    expect(await raw(`X-API-Key: ${key}`, "Authorization: a", "Authorization: b")).toBe("401 jwt_malformed");
    expect(await raw(`X-API-Key: ${key}`, "X-On-Behalf-Of: u1", "X-On-Behalf-Of: u2")).toBe("400");
  });
});

test("an empty Authorization header counts as absent", async () => {
  expect(await raw("Authorization:")).toBe("401 missing_credentials");
  expect(await raw("Authorization:  \t")).toBe("401 missing_credentials");
  expect(await raw("Authorization:", "Authorization:")).toBe("401 jwt_malformed");
});

// threat: J20
test("several spaces or tabs may stand between Bearer and the token, and nothing else", async () => {
  const token = await latchkey.dashboardToken();
  for (const space of ["  ", "\t", " \t "]) expect(await raw(`Authorization: Bearer${space}${token}`)).toBe("200");
  for (const odd of [`Bearer\u00a0${token}`, `Bearer, ${token}`, `Bearer  Bearer ${token}`])
    expect(await raw(`Authorization: ${odd}`)).toBe("401 jwt_malformed");
});

describe("a secret key", () => {
  // threat: K13
  test("authenticates the caller whatever Authorization is beside it", async () => {
    const key = await newKey();
    for (const value of ["Bearer nonsense", "Basic dTpw", ""]) {
      expect(await raw(`X-API-Key: ${key}`, `Authorization: ${value}`)).toBe("200");
    }
  });

  // threat: K13
  test("only the key decides, even if it may not call and the user beside it may", async () => {
    const { tenant, key } = await keyOfTenant();
    const user = await latchkey.dashboard(tenant);
    const create = (headers: Record<string, string>) =>
      latchkey.call("/api/v1/api-keys/create", { name: "a key", permissions: ["plans:read"] }, headers);
    const { status, json } = await create({ ...user, "x-api-key": key });
    expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
    expect((await create(user)).status).toBe(200);
  });

  // threat: K4
  test("may have white space around it and nothing more", async () => {
    const key = await newKey();
    expect(await raw(`X-API-Key:  ${key} \t`)).toBe("200");
    for (const odd of [`${key}%20`, `${key}\u200b`, `"${key}"`, `${key}, ${key}`, key.slice(3)]) {
      expect(await raw(`X-API-Key: ${odd}`)).toMatch(/^401 api_key_(invalid|not_found)$/);
    }
    // Node itself rejects what no header may have.
    expect(await raw(`X-API-Key: ${key}\0`)).toBe("400");
  });

  // threat: K5
  test("with one character changed, or the other type's prefix, is unknown", async () => {
    const key = await newKey();
    const changed = [...key].map((char, i) => key.slice(0, i) + (char === "a" ? "b" : "a") + key.slice(i + 1));
    for (const odd of [...changed, key.replace("sk_", "pk_")]) {
      expect(await raw(`X-API-Key: ${odd}`)).toMatch(/^401 api_key_(invalid|not_found)$/);
    }
  });

  // threat: K7
  test("in the query, a cookie or the body is ignored", async () => {
    const key = await newKey();
    const answer = await latchkey.call(`${LIST}?x-api-key=${key}`, { key }, { cookie: `x-api-key=${key}` });
    expect(answer.json.denial_reason).toBe("missing_credentials");
  });
});

// threat: E4
test("the denial of a revoked, a disabled, an expired or an unknown key names no tenant, no key's name and no id", async () => {
  const owner = dashboardOf(latchkey);
  const name = "the name of a denied key";
  const [revoked, disabled, expired] = [
    await owner.createKey({ name }),
    await owner.createKey({ name }),
    await owner.createKey({ name, expires_at: instant(latchkey, HOUR) }),
  ];
  await owner.result("revoke", { key_id: revoked.key_id });
  await owner.result("disable", { key_id: disabled.key_id });
  latchkey.clock.advance(2 * HOUR);
  const reasons: string[] = [];
  for (const key of [revoked.key, disabled.key, expired.key, makeSecret("secret")]) {
    const answer = await latchkey.call(LIST, {}, { "x-api-key": key });
    reasons.push(answer.json.denial_reason);
    const sent = answer.text + JSON.stringify([...answer.headers]);
    for (const known of [owner.tenant, name, revoked.key_id, disabled.key_id, expired.key_id, "user-1"])
      expect(sent).not.toContain(known);
  }
  expect(reasons).toEqual(["api_key_revoked", "api_key_disabled", "api_key_expired", "api_key_not_found"]);
});

describe("the order of checks", () => {
  test("is credentials, scope, X-On-Behalf-Of, body", async () => {
    const reader = await newKey(["conversations:read"]);
    const headers = { "x-api-key": reader };
    const send = "/api/v1/llm/gateway/send-message";
    const scope = await latchkey.call(send, "{", { ...headers, "x-on-behalf-of": "" });
    expect(scope.json.message).toContain("conversations:write");
    const impersonation = await latchkey.call(LIST, "{", { ...headers, "x-on-behalf-of": "" });
    expect(impersonation.json.message).toContain("users:impersonate");
    expect((await latchkey.call(LIST, "{", headers)).status).toBe(400);
  });
});

describe("a path is compared as it is sent", () => {
  const ORGS = "/api/v1/orgs/create";

  /** The status of a call by a user without a tenant, who may create an organization and nothing else. */
  async function statusOf(path: string): Promise<string> {
    const authorization = `Bearer ${await latchkey.dashboardToken({ tenant_id: undefined })}`;
    const body = JSON.stringify({ name: "Acme", permissions: ["plans:read"] });
    const head = [
      `POST ${path} HTTP/1.1`,
      "Host: x",
      "Content-Type: application/json",
      `Authorization: ${authorization}`,
    ];
    const more = [`Content-Length: ${body.length}`, "Connection: close"];
    return (await sendRaw(latchkey.url, `${[...head, ...more].join("\r\n")}\r\n\r\n${body}`)).slice(9, 12);
  }

  // threat: K17
  test.each([
    [`${ORGS}/../api-keys/create`, "404"],
    [`${ORGS}/../../api-keys/create`, "404"],
    [`${ORGS}/%2e%2e/%2e%2e/api-keys/create`, "404"],
    [`/x/..${ORGS}`, "404"],
    [`/api/v1/api-keys/create?x=${ORGS}`, "403"],
    [`/api/v1/api-keys/create?${ORGS}`, "403"],
    [`/api/v1/api-keys/create#${ORGS}`, "404"],
  ])("%s of a user without a tenant is %s", async (path, status) => {
    expect(await statusOf(path)).toBe(status);
  });
});
