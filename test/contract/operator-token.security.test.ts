// promise: operator.other-token
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessRules } from "../harness/access-rules.ts";
import { type Latchkey, sharedLatchkey, startLatchkey } from "../harness/latchkey.ts";
import { OPERATOR, OPERATOR_TOKEN } from "../harness/operator.ts";
import { OPERATOR_TENANT } from "../harness/roles.ts";
import { RPCS } from "../harness/rpcs.ts";

const TENANTS = "/api/v1/operator/tenants/list";
const VERIFY = "/api/v1/auth/verify";
/** It begins as the first one does. */
const SECOND_TOKEN = `${OPERATOR_TOKEN.slice(0, -1)}X`;

const NEITHER =
  "The token is neither this service's operator's token nor a user's token, which is a JWT; check it against the OPERATOR_TOKEN that the service was started with, or has read again since. See /docs/errors#jwt_malformed";

const latchkey = await sharedLatchkey();

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The status and the reason of `/auth/check`, and every header that a proxy would pass on. */
async function check(query: string, headers: Record<string, string>) {
  const response = await fetch(`${latchkey.url}/auth/check${query}`, { headers });
  const caller = [...response.headers.keys()].filter((name) => /^x-auth-(caller|tenant|key|user|perm)/.test(name));
  return { status: response.status, reason: response.headers.get("x-auth-denial-reason"), caller };
}

/** The warnings of the token's use, as far as they concern a request. */
function usesOf(service: Latchkey, requestId: string | null): unknown[] {
  return service.logLines
    .map((line) => JSON.parse(line))
    .filter(({ request_id, level }) => request_id === requestId && level === 40);
}

describe("the operator's token is not a user's:", () => {
  const others = RPCS.filter(({ callers, path }) => callers !== "operator" && path !== "/api/v1/scopes/list");

  test.each(others)("$path denies it", async (rpc) => {
    for (const path of [rpc.path, rpc.procedure]) {
      const { status, json } = await latchkey.call(path, rpc.body("key_x"), OPERATOR);
      expect([status, json.denial_reason, json.message]).toEqual([
        403,
        "insufficient_scope",
        "The operator's token is for /api/v1/operator/ alone; call with a user's token or an API key. See /docs/errors#insufficient_scope",
      ]);
    }
  });

  test.each([{ tenant_optional: true }, { scope: "system:read" }, { scopes: [] }, { explain: true, key_id: "key_x" }])(
    "verify with %j denies it",
    async (body) => {
      const { status, json } = await latchkey.call(VERIFY, body, OPERATOR);
      expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
      expect(json).not.toHaveProperty("caller");
    },
  );

  test.each(["", "?scope=plans:read", "?scope=system:write"])("/auth/check%s denies it", async (query) => {
    expect(await check(query, OPERATOR)).toEqual({ status: 403, reason: "insufficient_scope", caller: [] });
  });

  test("as the token of a publishable key's user it is malformed", async () => {
    const publishableConfig = {
      oidc: { issuer: "https://idp.example.com/", jwksUrl: "https://idp.example.com/jwks.json", audience: "app" },
    };
    const fields = { keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig };
    const { key } = await latchkey.createKey(await latchkey.dashboard(), fields);
    const { status, json } = await latchkey.call(VERIFY, {}, { ...OPERATOR, "x-api-key": key });
    expect([status, json.denial_reason]).toEqual([401, "jwt_malformed"]);
  });

  test("as an API key it is unknown", async () => {
    const { json } = await latchkey.call(TENANTS, {}, { "x-api-key": OPERATOR_TOKEN });
    expect(json.denial_reason).toBe("api_key_invalid");
    expect(json.message).not.toContain(OPERATOR_TOKEN.slice(0, 16));
  });

  test("a denied use is logged as a warning, too", async () => {
    const answer = await latchkey.call("/api/v1/api-keys/list", {}, OPERATOR);
    expect(usesOf(latchkey, answer.headers.get("x-request-id"))).toMatchObject([
      { msg: "the operator's token is used", procedure: "latchkey.v1.ApiKeyService/ListApiKeys", token: 1 },
    ]);
  });

  test("the request's log line names its caller and no tenant or user", async () => {
    const answer = await latchkey.call(TENANTS, {}, OPERATOR);
    const id = answer.headers.get("x-request-id");
    const lines = latchkey.logLines.map((line) => JSON.parse(line)).filter(({ request_id }) => request_id === id);
    const [line] = lines.filter(({ msg }) => msg === "request");
    expect(line).toMatchObject({ caller: "operator", status: 200, tenant_id: null });
    expect(line).not.toHaveProperty("user_id");
  });
});

describe("a wrong token", () => {
  test.each(["x", OPERATOR_TOKEN.slice(1), `${OPERATOR_TOKEN}${OPERATOR_TOKEN}`, "undefined", "null"])(
    "such as %s is a malformed token of a user, and no use of the operator's",
    async (token) => {
      const answer = await latchkey.call(TENANTS, {}, bearer(token));
      expect([answer.status, answer.json.denial_reason]).toEqual([401, "jwt_malformed"]);
      expect(usesOf(latchkey, answer.headers.get("x-request-id"))).toEqual([]);
    },
  );

  test.each(["x", OPERATOR_TOKEN.slice(1), SECOND_TOKEN, `${OPERATOR_TOKEN}.${OPERATOR_TOKEN}`])(
    "such as %s is named as one that is not this service's, in the same words whatever it is",
    async (token) => {
      for (const rpc of RPCS.filter(({ callers }) => callers === "operator")) {
        const { json } = await latchkey.call(rpc.path, rpc.body("key_x"), bearer(token));
        expect([rpc.path, json.message]).toEqual([rpc.path, NEITHER]);
      }
      expect((await latchkey.call("/api/v1/api-keys/list", {}, bearer(token))).json.message).not.toBe(NEITHER);
    },
  );

  test("of a user that is malformed in another way keeps its own message", async () => {
    for (const [token, message] of [
      ["undefined", "placeholder"],
      ["'x'", "quotation marks"],
      ["a.b.c", "payload is not a JSON object"],
    ] as const) {
      expect((await latchkey.call(TENANTS, {}, bearer(token))).json.message).toContain(message);
    }
  });

  test.each([
    ["twice", `Bearer ${OPERATOR_TOKEN}, Bearer ${OPERATOR_TOKEN}`],
    ["beside another", `Bearer ${OPERATOR_TOKEN},x`],
    ["without its scheme", OPERATOR_TOKEN],
    ["with another scheme", `Basic ${OPERATOR_TOKEN}`],
    ["in quotes", `Bearer "${OPERATOR_TOKEN}"`],
  ])("is the right one %s", async (_, authorization) => {
    const answer = await latchkey.call(TENANTS, {}, { authorization });
    expect([answer.status, answer.json.denial_reason]).toEqual([401, "jwt_malformed"]);
    expect(answer.text).not.toContain(OPERATOR_TOKEN.slice(0, 16));
  });

  test("of a user with the claims of an operator is a user's", async () => {
    const token = await latchkey.dashboardToken({ sub: "operator", kind: "operator", roles: ["operator", "owner"] });
    const { status, json } = await latchkey.call(TENANTS, {}, bearer(token));
    expect([status, json.denial_reason]).toEqual([403, "insufficient_scope"]);
  });
});

describe("with two tokens", () => {
  let two: Latchkey;

  beforeAll(async () => {
    two = await startLatchkey({ config: { operatorTokens: [OPERATOR_TOKEN, SECOND_TOKEN] } });
  });

  afterAll(() => two.close());

  test("each is admitted, and the log says which was used", async () => {
    for (const [token, position] of [
      [OPERATOR_TOKEN, 1],
      [SECOND_TOKEN, 2],
    ] as const) {
      const answer = await two.call(TENANTS, {}, bearer(token));
      expect(answer.status).toBe(200);
      expect(usesOf(two, answer.headers.get("x-request-id"))).toMatchObject([{ token: position }]);
    }
    expect(two.logLines.join("")).not.toContain(OPERATOR_TOKEN.slice(0, 16));
  });

  test("a third is denied, and both with a comma between them", async () => {
    for (const token of [`${OPERATOR_TOKEN.slice(0, -1)}Y`, `${OPERATOR_TOKEN},${SECOND_TOKEN}`]) {
      expect((await two.call(TENANTS, {}, bearer(token))).json.denial_reason).toBe("jwt_malformed");
    }
  });
});

describe("without a token, and without an identity provider", () => {
  test("no bearer is the operator, not even an empty one", async () => {
    const none = await startLatchkey({ config: { operatorTokens: [], dashboard: null } });
    const outcomes = [];
    for (const headers of [OPERATOR, { authorization: "Bearer" }, { authorization: "" }, {}]) {
      outcomes.push((await none.call(TENANTS, {}, headers)).json.denial_reason);
    }
    await none.close();
    expect(outcomes).toEqual(["jwt_malformed", "jwt_malformed", "missing_credentials", "missing_credentials"]);
  });

  test("a wrong token is answered as by a service that has one, and a user's token names what is not configured", async () => {
    const token = await latchkey.dashboardToken();
    for (const operatorTokens of [[], [OPERATOR_TOKEN]]) {
      const service = await startLatchkey({ config: { operatorTokens, dashboard: null } });
      const wrong = await service.call(TENANTS, {}, bearer(SECOND_TOKEN));
      expect([wrong.status, wrong.json.message]).toEqual([401, NEITHER]);
      expect((await service.call(TENANTS, {}, bearer(token))).json.denial_reason).toBe("oidc_not_configured");
      await service.close();
    }
  });
});

describe("without OIDC_ROLES_CLAIM", () => {
  test("each user of the operator's tenant is the operator, and none of another tenant, however alike its id", async () => {
    const own = await startLatchkey({ config: { access: accessRules({ operatorTenant: OPERATOR_TENANT }) } });
    expect((await own.call(TENANTS, {}, await own.dashboard(OPERATOR_TENANT))).status).toBe(200);
    const alike = [
      ` ${OPERATOR_TENANT}`,
      `${OPERATOR_TENANT} `,
      OPERATOR_TENANT.toUpperCase(),
      `${OPERATOR_TENANT}\u200b`,
    ];
    for (const tenant of [...alike, OPERATOR_TENANT.slice(0, -1)]) {
      const { status, json } = await own.call(TENANTS, {}, await own.dashboard(tenant));
      expect([tenant, status, json.denial_reason]).toEqual([tenant, 403, "insufficient_scope"]);
    }
    await own.close();
  });
});
