// promise: guards.connect
import type { DescFile, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callerContext, callerOf, createGuard } from "../../clients/typescript/src/server/index.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { type GuardedConnect, startGuarded } from "../harness/guarded-connect.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { trusting } from "../harness/trusted-proxies.ts";
import { compile } from "../openapi/compile.ts";
import { startScriptedService } from "./scripted-service.ts";

const KEYS = "callers: [CALLER_SECRET_KEY, CALLER_PUBLISHABLE_KEY]";
const USERS = "callers: [CALLER_DASHBOARD_USER]";
const messages = "message Plan { string id = 1; }\n";
const rpc = (name: string, policy: string, stream = "") =>
  `rpc ${name}(${stream}Plan) returns (${stream}Plan) { option (latchkey.v1.policy) = { ${policy} }; }\n`;

const serviceIn = (file: DescFile, name: string): DescService => {
  const found = file.services.find((service) => service.name === name);
  if (found === undefined) throw new Error(`no service ${name}`);
  return found;
};

describe("a guard of Connect services cannot be made", () => {
  const cases: readonly (readonly [policy: string | undefined, problem: string])[] = [
    [undefined, "Get declares no (latchkey.v1.policy)"],
    ["", "Get admits no caller"],
    ["callers: [CALLER_UNSPECIFIED]", "Get admits an unknown caller (0)"],
    ["callers: [CALLER_ANYONE, CALLER_SECRET_KEY]", "Get admits anyone, and so can name no other caller"],
    ['callers: [CALLER_ANYONE] scope: "plans:read"', "Get admits anyone, and so can name no other caller"],
    [`${KEYS} scope: "plans:*"`, 'Get asks for "plans:*", which is not a scope'],
    [`${KEYS} scope: "plans:reed"`, 'Get: scopes: "plans:reed" is not a known scope; did you mean "plans:read"?'],
    [`${KEYS} user_scope: "plans:read"`, "Get has a user scope or a waiver, but admits no user"],
    [USERS, "Get must have either the scope that dashboard users need or a waiver"],
    [`${USERS} user_scope: "plans:read" user_scope_waiver: "why"`, "Get must have either the scope"],
    [`${USERS} user_scope: "*"`, 'Get asks users for "*", which is neither a scope'],
    [`${USERS} user_scope: "nothing:*"`, "Get: no known scope is in nothing:*"],
    [`${USERS} user_scope: "plans:read" tokens: true`, "Get admits access tokens, and so must admit secret keys"],
    ["callers: [CALLER_OPERATOR]", "Get admits the operator, whose token is only for Latchkey's own RPCs"],
  ];
  let file: DescFile;

  beforeAll(async () => {
    const services = cases.map(([policy], n) => {
      const options = policy === undefined ? "" : `option (latchkey.v1.policy) = { ${policy} };`;
      return `service S${n} { rpc Get(Plan) returns (Plan) { ${options} } }\n`;
    });
    file = await compile(messages + services.join(""));
  });

  test.each(cases.map((one, n) => [...one, n] as const))("for an RPC whose policy is %s", (_policy, problem, n) => {
    const connect = () => createGuard({ baseUrl: "https://x" }).connect({ services: [serviceIn(file, `S${n}`)] });
    expect(connect).toThrow(TypeError);
    expect(connect).toThrow(`small.v1.S${n}/${problem}`);
  });

  test("without services, or with options that it does not have", () => {
    const guard = createGuard({ baseUrl: "https://x" });
    expect(() => guard.connect({ services: [] })).toThrow("services must list at least one service");
    const misspelt = { services: [serviceIn(file, "S0")], clientAdress: () => "" };
    expect(() => guard.connect(misspelt as never)).toThrow('did you mean "clientAddress"?');
  });
});

describe("a guarded Connect service", () => {
  let latchkey: Latchkey;
  let guarded: GuardedConnect;
  let plans: DescService;
  const seen: unknown[] = [];
  const failures: unknown[] = [];

  beforeAll(async () => {
    const file = await compile(`${messages}service Plans {
      ${rpc("Get", `callers: [CALLER_DASHBOARD_USER, CALLER_SECRET_KEY] scope: "plans:read" user_scope: "plans:read"`)}
      ${rpc("Chat", `callers: [CALLER_SECRET_KEY] scope: "plans:write"`, "stream ")}
      ${rpc("Open", "callers: [CALLER_ANYONE]")}
      ${rpc("Publishable", "callers: [CALLER_PUBLISHABLE_KEY]")}
      ${rpc("All", `${USERS} user_scope: "plans:*"`)}
      ${rpc("Join", `${USERS} user_scope_waiver: "their own" tenant_optional: true`)}
      ${rpc("Fail", `${KEYS} scope: "plans:read"`)}
    }
    service Missed { ${rpc("Other", "callers: [CALLER_ANYONE]")} }`);
    plans = serviceIn(file, "Plans");
    latchkey = await startLatchkey({ config: { trustedProxies: trusting(["127.0.0.1"]) } });
    const guard = createGuard({ baseUrl: latchkey.url, onError: (err) => failures.push(err) });
    const handlers = {
      get: (_: unknown, context: { values: object; requestHeader: Headers }) => {
        seen.push([callerOf(context), [...context.requestHeader.keys()].filter((name) => name.startsWith("x-auth"))]);
        return {};
      },
      async *chat(_: unknown, context: object) {
        yield { id: callerOf(context).tenantId };
      },
      join: (_: unknown, { values }: { values: { get(key: typeof callerContext): unknown } }) => {
        seen.push(values.get(callerContext));
        return {};
      },
      open: (_: unknown, context: { values: { get(key: typeof callerContext): unknown } }) => {
        seen.push(context.values.get(callerContext));
        expect(() => callerOf(context)).toThrow("no guard has let this request pass");
        return {};
      },
      fail: () => {
        throw new ConnectError("there is no such plan", Code.NotFound);
      },
    };
    guarded = await startGuarded(guard, [plans], handlers as never, [serviceIn(file, "Missed")]);
  });

  afterAll(async () => {
    await guarded.close();
    await latchkey.close();
  });

  const call = (name: string, headers: Record<string, string>) => guarded.call(`/small.v1.Plans/${name}`, headers);
  const keyWith = async (fields: object) => ({
    "x-api-key": (await latchkey.createKey(await latchkey.dashboard(), { permissions: ["plans:read"], ...fields })).key,
  });

  test("gives its handlers the caller, and no X-Auth header of a client", async () => {
    const tenantId = newTenant();
    const { key, key_id: keyId } = await dashboardOf(latchkey, tenantId).createKey({ permissions: ["plans:read"] });
    const { status } = await call("Get", { "x-api-key": key, "x-auth-tenant-id": "ten_other", "x-auth-role": "x" });
    expect(status).toBe(200);
    const caller = { kind: "secret_key", tenantId, keyId, userId: undefined, permissions: ["plans:read"] };
    expect(seen.at(-1)).toEqual([caller, []]);
  });

  test("spends one request for each call, and shows the limit with responses and errors", async () => {
    const headers = await keyWith({ rate_limit: { requests_per_minute: 4 } });
    const remaining: unknown[] = [];
    for (const name of ["Get", "Fail", "Unknown", "Publishable", "Get", "Get"]) {
      const { status, headers: sent, json } = await call(name, headers);
      remaining.push([status, json.code, sent.get("x-ratelimit-remaining")]);
    }
    expect(remaining).toEqual([
      [200, undefined, "3"],
      [404, "not_found", "2"],
      [404, undefined, null],
      [403, "permission_denied", "1"],
      [200, undefined, "0"],
      [429, "resource_exhausted", "0"],
    ]);
  });

  test("lets anyone call an open RPC, without a look at what is sent", async () => {
    for (const headers of [{}, { "x-api-key": "nonsense" }, { authorization: "Basic x" }]) {
      const { status, headers: sent } = await call("Open", headers);
      expect([status, sent.get("x-ratelimit-limit"), seen.at(-1)]).toEqual([200, null, undefined]);
    }
  });

  test("says which kind of caller may call", async () => {
    const secret = await call("Publishable", await keyWith({}));
    expect(secret.json.message).toBe("A secret key cannot do this, whatever its scopes; call with a publishable key.");
    const user = await call("Publishable", await latchkey.dashboard());
    expect(user.json.message).toBe("A dashboard user cannot do this, whatever their roles; call with an API key.");
    expect((await call("All", await keyWith({}))).json.message).toBe(
      "An API key cannot do this, whatever its scopes; call with a dashboard user's token and without X-API-Key.",
    );
  });

  test("denies an access token where the policy does not admit tokens, as Latchkey's own gate does", async () => {
    const key = await derivingKey(latchkey);
    const { token } = await key.derive({ scopes: ["plans:read"] });
    const { status, json, headers } = await call("Get", { authorization: `Bearer ${token}` });
    const real = await latchkey.call("/latchkey.v1.TokenService/DeriveToken", {}, { authorization: `Bearer ${token}` });
    expect([status, json.message, headers.get("www-authenticate")]).toEqual([
      // A guard does not know where the page is.
      ...[
        403,
        real.json.message.replace(" See /docs/errors#token_not_allowed", ""),
        real.headers.get("www-authenticate"),
      ],
    ]);
    const detail = ({ type, value }: { type: string; value: string }) => [type, value];
    expect(json.details.map(detail)).toEqual(real.json.details.map(detail));
    expect(real.json.reason).toBe("token_not_allowed");
  });

  test("admits users without a tenant where the policy says so", async () => {
    const authorization = `Bearer ${await latchkey.dashboardToken({ tenant_id: "" })}`;
    expect((await call("Join", { authorization })).status).toBe(200);
    expect(seen.at(-1)).toMatchObject({ kind: "dashboard_user", tenantId: undefined, userId: "user-1" });
    expect((await call("Get", { authorization })).status).toBe(403);
  });

  test("passes on the client's address, whatever the client writes", async () => {
    const inside = await keyWith({ allowed_ips: ["127.0.0.1"] });
    const outside = { ...(await keyWith({ allowed_ips: ["203.0.113.7"] })), "x-forwarded-for": "203.0.113.7" };
    expect([(await call("Get", inside)).status, (await call("Get", outside)).status]).toEqual([200, 403]);
  });

  test("refuses an RPC of a service that it was not given", async () => {
    const { status, json } = await guarded.call("/small.v1.Missed/Other", await keyWith({}));
    const message = "small.v1.Missed/Other is of no service that guard.connect was given; list it there";
    expect([status, json.code, json.message]).toEqual([500, "internal", message]);
    expect(failures).toContainEqual(new Error(message));
  });

  test.each([
    ["Connect", createConnectTransport],
    ["gRPC", createGrpcTransport],
  ] as const)("decides on streams over %s before a message is read", async (_protocol, create) => {
    const client = createClient(plans, create({ baseUrl: guarded.http2Url, httpVersion: "2" }));
    // The descriptor was read at run time, so the types know none of its methods.
    const chat = client.chat as unknown as (
      messages: AsyncIterable<object>,
      options: { headers: Record<string, string> },
    ) => AsyncIterable<{ id: string }>;
    const listen = async (headers: Record<string, string>) => {
      const ids: string[] = [];
      for await (const { id } of chat(forever(), { headers })) ids.push(id);
      return ids;
    };
    const denial = await listen(await keyWith({})).catch(ConnectError.from);
    if (!(denial instanceof ConnectError)) throw new Error("the stream was admitted");
    expect(denial.rawMessage).toMatch(/^This API key lacks the scope plans:write/);
    expect(denial.metadata.get("x-ratelimit-limit")).toBe("2147483647");
    const tenant = newTenant();
    const { key } = await dashboardOf(latchkey, tenant).createKey({ permissions: ["plans:write"] });
    expect(await listen({ "x-api-key": key })).toEqual([tenant]);
  });
});

/** A client that sends one message and keeps its stream open. */
async function* forever(): AsyncIterable<object> {
  yield {};
}

test("Verify is asked once, for what the presented kind of caller needs, and its caller must be of that kind", async () => {
  const file = await compile(`${messages}service Plans {
    ${rpc("Get", `callers: [CALLER_SECRET_KEY, CALLER_DASHBOARD_USER] scope: "plans:sell" user_scope: "plans:*"`)}
    ${rpc("Users", `${USERS} user_scope: "billing:read"`)}
  }`);
  const latchkey = await startScriptedService();
  const errors: unknown[] = [];
  const guard = createGuard({ baseUrl: latchkey.url, ownScopes: ["plans:sell"], onError: (err) => errors.push(err) });
  const guarded = await startGuarded(guard, [serviceIn(file, "Plans")], { get: () => ({}) });
  const user = { caller: "CALLER_DASHBOARD_USER", tenant_id: "ten_1", user_id: "u", permissions: ["plans:*"] };
  const asked: unknown[] = [];
  const note = () => asked.push(...latchkey.received.map(({ body }) => body));
  const answer = (body: object) => {
    // A new script forgets what was received.
    note();
    latchkey.play({ status: 200, body: JSON.stringify(body) });
  };
  const call = async (name: string, headers: Record<string, string>) =>
    (await guarded.call(`/small.v1.Plans/${name}`, headers)).json.code;
  try {
    answer(user);
    expect(await call("Get", { authorization: "Bearer x" })).toBeUndefined();
    answer({ ...user, permissions: ["plans:read", "plans:write", "plans:sell"] });
    expect(await call("Get", { authorization: "Bearer x" })).toBe("permission_denied");
    answer(user);
    for (const name of ["Get", "Users"]) expect(await call(name, { "x-api-key": "sk_1" })).toBe("unavailable");
    const wildcard = { scopes: ["plans:read"] };
    note();
    expect(asked).toEqual([wildcard, wildcard, { scopes: ["plans:sell"] }, { tenant_optional: true }]);
    const mismatch = "the answer is not a verdict: it names a dashboard_user where the headers present a secret_key";
    expect(errors).toEqual([new Error(mismatch), new Error(mismatch)]);
  } finally {
    await guarded.close();
    await latchkey.close();
  }
});

test("while Latchkey is away, every RPC but an open one is unavailable", async () => {
  const file = await compile(`${messages}service Plans {
    ${rpc("Get", `${KEYS} scope: "plans:read"`)}
    ${rpc("Open", "callers: [CALLER_ANYONE]")}
  }`);
  const errors: unknown[] = [];
  const guard = createGuard({ baseUrl: "http://127.0.0.1:1", onError: (err) => errors.push(err) });
  const guarded = await startGuarded(guard, [serviceIn(file, "Plans")], { open: () => ({}) });
  try {
    const { status, json } = await guarded.call("/small.v1.Plans/Get", { "x-api-key": "sk_1" });
    expect([status, json.code]).toEqual([503, "unavailable"]);
    expect(json.message).toBe(
      "The credentials could not be checked just now: they are neither accepted nor refused. Retry.",
    );
    expect(errors).toHaveLength(1);
    expect((await guarded.call("/small.v1.Plans/Open", {})).status).toBe(200);
  } finally {
    await guarded.close();
  }
});
