// promise: guards.connect
import {
  clone,
  create,
  type DescMethod,
  type DescService,
  fromBinary,
  getOption,
  setExtension,
} from "@bufbuild/protobuf";
import { MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callerContext, createGuard } from "../../clients/typescript/src/server/index.ts";
import { AuthService } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { DenialReasonSchema, DenialSchema } from "../../gen/latchkey/v1/denial_pb.ts";
import { Caller, PolicySchema, policy } from "../../gen/latchkey/v1/policy_pb.ts";
import { SERVICES } from "../../gen/latchkey/v1/services.ts";
import { accessRules } from "../harness/access-rules.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { type GuardedConnect, startGuarded } from "../harness/guarded-connect.ts";
import type { Answer } from "../harness/http.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { newTenant } from "../harness/latchkey.ts";
import { OPERATOR_TOKEN } from "../harness/operator.ts";
import { bearer, type PublishableService, startPublishable } from "../harness/publishable.ts";
import { trusting } from "../harness/trusted-proxies.ts";

type Headers = Record<string, string>;

const OPERATOR_TENANT = "ten_operator";
const ROLES = { keymaker: ["api_keys:*"], ops: ["system:*"], reader: ["conversations:read"] };

const OVER_LIMIT = "a key over its limit";
/** Not among them: what only an outage or a mistake of configuration brings about, and a suspended tenant. */
const REASONS = [
  "admitted",
  "MISSING_CREDENTIALS",
  "API_KEY_NOT_FOUND",
  "API_KEY_EXPIRED",
  "API_KEY_DISABLED",
  "API_KEY_REVOKED",
  "API_KEY_INVALID",
  "INSUFFICIENT_SCOPE",
  "RATE_LIMITED",
  "PUBLISHABLE_KEY_REQUIRES_JWT",
  "JWT_MALFORMED",
  "JWT_EXPIRED",
  "TENANT_REQUIRED",
  "ORIGIN_NOT_ALLOWED",
];

let service: PublishableService;
let guarded: GuardedConnect;
let strangersToken: string;

beforeAll(async () => {
  service = await startPublishable({
    access: accessRules({ rolesClaim: "roles", roles: ROLES, operatorTenant: OPERATOR_TENANT }),
    trustedProxies: trusting(["127.0.0.1"]),
  });
  strangersToken = (await app()).token();
  const guard = createGuard({ baseUrl: service.latchkey.url });
  guarded = await startGuarded(guard, SERVICES.map(withoutOperator), {
    // As `AuthService.Verify` of Latchkey itself does, from what the guard says of the caller.
    verify(_request, context) {
      const caller = context.values.get(callerContext);
      if (caller === undefined) throw new Error("no caller");
      const { kind, tenantId = "", keyId = "", userId = "", permissions } = caller;
      return { caller: Caller[kind.toUpperCase() as "SECRET_KEY"], tenantId, keyId, userId, permissions };
    },
  });
});

afterAll(async () => {
  await guarded.close();
  await service.latchkey.close();
  await service.keyHost.close();
});

/** The service as a platform could have it: the operator's token is only for Latchkey's own RPCs. */
function withoutOperator(desc: DescService): DescService {
  const methods = desc.methods.map((method) => {
    const declared = getOption(method, policy);
    const callers = declared.callers.filter((caller) => caller !== Caller.OPERATOR);
    const options = clone(MethodOptionsSchema, method.proto.options ?? create(MethodOptionsSchema));
    setExtension(options, policy, create(PolicySchema, { ...declared, callers }));
    return { ...method, proto: { ...method.proto, options } };
  });
  // The guard and Connect read the methods alone.
  return { ...desc, methods } as unknown as DescService;
}

/** Each makes the headers of a new caller: one for the service, and one for the guard, so that limits are alike. */
const CALLERS: Readonly<Record<string, () => Promise<Headers>>> = {
  "no credentials": async () => ({}),
  "a text that is no key": async () => ({ "x-api-key": "nonsense" }),
  "an empty key": async () => ({ "x-api-key": "" }),
  "a key that does not exist": async () => ({ "x-api-key": `sk_${"a".repeat(36)}` }),
  "a mistyped publishable key": async () => ({ "x-api-key": "pk_1" }),
  "a scheme other than Bearer": async () => ({ authorization: "Basic YTpi" }),
  "no token": async () => ({ authorization: "Bearer a.b.c" }),
  "a key as token": async () => ({ authorization: `Bearer sk_${"a".repeat(36)}` }),
  "the operator": async () => bearer(OPERATOR_TOKEN),
  "a secret key with the scope to read": () => secretKey({ permissions: ["conversations:read"] }),
  "a secret key with a wildcard": () => secretKey({ permissions: ["conversations:*"] }),
  "a secret key with `*`": () => secretKey({ permissions: ["*"] }),
  "a secret key of the operator's tenant with `*`": () => secretKey({ permissions: ["*"] }, OPERATOR_TENANT),
  "a secret key with another scope": () => secretKey({ permissions: ["plans:read"] }),
  "a secret key for the audit trail": () => secretKey({ permissions: ["audit:read"] }),
  "a secret key that acts for a user": async () => ({
    ...(await secretKey({ permissions: ["conversations:*", "users:impersonate"] })),
    "x-on-behalf-of": "anna",
  }),
  "a secret key that may not act for users": async () => ({
    ...(await secretKey({ permissions: ["conversations:*"] })),
    "x-on-behalf-of": "anna",
  }),
  "an access token with the scope to read": () => accessToken({ scopes: ["conversations:read"] }),
  "an access token with another scope": () => accessToken({ scopes: ["plans:read"] }),
  "an access token of a user": () => accessToken({ scopes: ["conversations:*"], user_id: "anna" }),
  "an access token that was revoked": () => accessToken({ scopes: ["conversations:*"] }, true),
  "a bound access token without its proof": () =>
    accessToken({ scopes: ["conversations:*"], confirmation_jkt: "a".repeat(43) }),
  "a revoked key": () => secretKey({ permissions: ["*"] }, undefined, "revoke"),
  "a disabled key": () => secretKey({ permissions: ["*"] }, undefined, "disable"),
  "an expired key": async () => {
    const { clock } = service.latchkey;
    const expires_at = new Date(clock.now().getTime() + 10_000).toISOString();
    const headers = await secretKey({ permissions: ["*"], expires_at });
    clock.advance(11_000);
    return headers;
  },
  "a key from an address that it does not allow": () =>
    secretKey({ permissions: ["*"], allowed_ips: ["203.0.113.0/24"] }),
  "a key from an address that it allows": () => secretKey({ permissions: ["*"], allowed_ips: ["127.0.0.1"] }),
  "a secret key in a browser": async () => ({ ...(await secretKey({})), "sec-fetch-site": "cross-site" }),
  [OVER_LIMIT]: async () => {
    const headers = await secretKey({ permissions: ["*"], rate_limit: { requests_per_minute: 1 } });
    await service.latchkey.call("/api/v1/auth/verify", {}, headers);
    return headers;
  },
  "a publishable key and its user": async () => (await app()).headers(),
  "a publishable key without a token": async () => (await app()).keyHeader,
  "a publishable key with another's token": async () => (await app()).headers(strangersToken),
  "a publishable key with an expired token": async () => {
    const one = await app();
    return one.headers(one.token({ exp: 1 }));
  },
  "a publishable key on a page that it does not allow": async () => ({
    ...(await app({ allowed_origins: ["https://app.example"] })).headers(),
    origin: "https://other.example",
  }),
  "an owner": () => user({ roles: ["owner"] }),
  "a viewer": () => user({ roles: ["viewer"] }),
  "a user with a wildcard": () => user({ roles: ["keymaker"] }),
  "a user who reads conversations": () => user({ roles: ["reader"] }),
  "a user without a role": () => user({ roles: [] }),
  "a user without a tenant": () => user({ tenant_id: "", roles: ["owner"] }),
  "an owner of the operator's tenant": () => user({ tenant_id: OPERATOR_TENANT, roles: ["owner"] }),
  "the operator's own people": () => user({ tenant_id: OPERATOR_TENANT, roles: ["ops"] }),
  "people with system:* in another tenant": () => user({ roles: ["ops"] }),
  "a user with an expired token": () => user({ exp: 1 }),
  "a user who acts for another": async () => ({ ...(await user({ roles: ["owner"] })), "x-on-behalf-of": "anna" }),
};

async function secretKey(fields: object, tenant = newTenant(), then?: "revoke" | "disable"): Promise<Headers> {
  const dashboard = dashboardOf(service.latchkey, tenant);
  const { key, key_id } = await dashboard.createKey({ permissions: ["conversations:read"], ...fields });
  if (then !== undefined) await dashboard.result(then, { key_id });
  return { "x-api-key": key };
}

async function accessToken(grant: object, isRevoked = false): Promise<Headers> {
  const permissions = ["conversations:*", "plans:*", "users:impersonate"];
  const key = await derivingKey(service.latchkey, { permissions });
  const { token, token_id } = await key.derive(grant);
  if (isRevoked) await service.latchkey.call("/api/v1/tokens/revoke", { token_id }, key.headers);
  return bearer(String(token));
}

const app = (fields: object = {}) =>
  service.newApp({ fields: { permissions: ["conversations:*", "plans:read"], ...fields } });

const user = async (claims: object): Promise<Headers> => bearer(await service.latchkey.dashboardToken({ ...claims }));

const METHODS = SERVICES.flatMap((desc): DescMethod[] => [...desc.methods]);
const LIMIT_HEADERS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];

/** What both must agree on. Those who are admitted meet other handlers, so nothing else is compared then. */
function verdictOf({ status, json, headers }: Answer) {
  const limits = LIMIT_HEADERS.map((name) => headers.has(name));
  const [detail] = json.details ?? [];
  if (detail?.type !== "latchkey.v1.Denial") return { verdict: "admitted", limits, message: undefined };
  const { reason, rateLimit } = fromBinary(DenialSchema, Buffer.from(detail.value, "base64"));
  return {
    verdict: `${status} ${json.code} ${DenialReasonSchema.value[reason]?.localName}`,
    limit: rateLimit?.limit,
    // The scope in it differs where the message does.
    challenge: headers.get("www-authenticate")?.replace(/, scope="[^"]*"/, ""),
    limits,
    // A guard leaves out a page of Latchkey's own port.
    message: json.message?.replace(/ See \/docs\/errors#\w+$/, ""),
  };
}

const procedureOf = ({ parent, name }: DescMethod) => `/${parent.typeName}/${name}`;

/**
 * The reason stays the same, but Verify cannot be asked for a wildcard, checks `X-On-Behalf-Of` before scopes, and says what
 * the users of apps must send, who may call it. An RPC of the operator names the operator's token.
 */
function withOwnMessage(method: DescMethod, headers: Headers, { verdict }: { verdict: string }): boolean {
  const { callers, userScope } = getOption(method, policy);
  if (callers.includes(Caller.OPERATOR)) return true;
  return "x-on-behalf-of" in headers || userScope.endsWith(":*") || verdict.endsWith(" TENANT_REQUIRED");
}

describe.each(Object.entries(CALLERS))("%s", (name, newCaller) => {
  const methods = METHODS.filter(
    (method) => name !== "the operator" || !getOption(method, policy).callers.includes(Caller.OPERATOR),
  );

  // threat: D17
  test("gets the verdict of Latchkey's own gate at every RPC", async () => {
    let [real, other] = [await newCaller(), await newCaller()];
    for (const method of methods) {
      // One request more or less would show.
      if (name === OVER_LIMIT) [real, other] = [await newCaller(), await newCaller()];
      const body = method === AuthService.method.verify ? { tenant_optional: true } : {};
      const expected = verdictOf(await service.latchkey.call(procedureOf(method), body, real));
      const decided = verdictOf(await guarded.call(procedureOf(method), other));
      if (withOwnMessage(method, real, expected)) expected.message = decided.message;
      expect(decided, method.name).toEqual(expected);
    }
  });

  test("has the same facts in a handler as at Verify", async () => {
    const headers = await newCaller();
    const procedure = procedureOf(AuthService.method.verify);
    const real = await service.latchkey.call(procedure, { tenant_optional: true }, headers);
    const theirs = await guarded.call(procedure, headers);
    expect(theirs.status).toBe(real.status);
    if (real.status !== 200) return;
    const { caller, tenant_id, key_id, user_id, permissions } = real.json;
    const { tenant_id: tenant = "", key_id: key = "", user_id: id = "", permissions: held = [] } = theirs.json;
    expect([theirs.json.caller, tenant, key, id, held]).toEqual([caller, tenant_id, key_id, user_id, permissions]);
  });
});

test("the callers meet every kind of verdict", async () => {
  const verdicts = new Set<string>();
  for (const newCaller of Object.values(CALLERS)) {
    const headers = await newCaller();
    for (const method of METHODS) verdicts.add(verdictOf(await guarded.call(procedureOf(method), headers)).verdict);
  }
  const reasons = [...verdicts].map((verdict) => verdict.split(" ").at(-1));
  expect(reasons).toEqual(expect.arrayContaining(REASONS));
});
