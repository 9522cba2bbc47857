// promise: repeat.secrets, repeat.compared, repeat.header
import { type DescField, type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { policy } from "../../gen/latchkey/v1/policy_pb.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { HANDED_SECRETS } from "../harness/handed-secrets.ts";
import type { JsonObject } from "../harness/http.ts";
import { dashboardOf, instant, OIDC } from "../harness/key-management.ts";
import { newTenant, sharedLatchkey } from "../harness/latchkey.ts";
import { qualifiedName } from "../harness/narrowing-members.ts";
import { OPERATOR } from "../harness/operator.ts";
import { newOrganization } from "../harness/organizations.ts";
import { requestMembers } from "../harness/request-members.ts";
import { rpcNamed } from "../harness/rpcs.ts";
import { DEFAULTS, mayBeEmpty, turned, withDefaults, zeroOf } from "../harness/same-meaning.ts";
import { SERVICES } from "../harness/services.ts";
import { HOUR } from "../harness/test-clock.ts";
import { HOOK_URL } from "../harness/webhooks.ts";

const latchkey = await sharedLatchkey();

/** One caller, and requests of theirs to one RPC. */
interface Requests {
  readonly headers: Record<string, string>;
  /** What is required, and nothing else. */
  readonly least: JsonObject;
  /** With every member that may be beside the others. */
  readonly full: JsonObject;
  /** A valid one that means something else than the least. */
  readonly other: JsonObject;
  /** More that means the same as the least. */
  readonly same?: readonly JsonObject[];
}

interface Case {
  readonly rpc: string;
  readonly of?: string;
  prepare(): Promise<Requests>;
}

const LIMIT = {
  ...{ requests_per_minute: 5, requests_per_hour: 50, burst_size: 2 },
  per_user: { requests_per_minute: 2, requests_per_hour: 20, burst_size: 1 },
};
const KEY = { name: "backend", permissions: ["plans:read"] };
const fullKey = () => ({
  ...{ name: "backend", description: "of the shop", keyType: "KEY_TYPE_SECRET", external_id: "shop-7" },
  permissions: ["plans:read", "conversations:read"],
  rate_limit: { ...LIMIT, unlimited: false },
  expires_at: instant(latchkey, HOUR),
  metadata: { plan: "pro", seats: { most: 3, free: false, of: ["b", "a"] } },
  ...{ allowed_ips: ["10.0.0.0/8", "192.0.2.1"], allow_browser: true },
});
const APP = {
  name: "app",
  permissions: ["plans:read"],
  keyType: "KEY_TYPE_PUBLISHABLE",
  publishableConfig: { oidc: OIDC },
};
const fullApp = () => ({
  ...APP,
  ...{ permissions: ["plans:read", "conversations:read"], allowed_origins: ["https://a.example", "https://b.example"] },
  publishableConfig: {
    oidc: {
      ...OIDC,
      ...{ userIdClaim: "uid", requiredClaims: { a: "1", b: "2" }, audienceClaim: "azp", tokenType: "id" },
      ...{ authorizedParties: ["x", "y"], userIdPrefix: "app|" },
      claimRules: [
        { claim: "email_verified", equals: true },
        { claim: "groups", contains: "staff" },
      ],
    },
  },
});

async function dashboardUser() {
  const tenant = newTenant();
  return { tenant, headers: await latchkey.dashboard(tenant) };
}

/** Each RPC with a `client_request_id`. */
const CASES: readonly Case[] = [
  {
    rpc: "CreateApiKey",
    of: "a secret key",
    async prepare() {
      const { headers } = await dashboardUser();
      const other = { ...KEY, metadata: {} };
      const same = [{ ...KEY, rate_limit: { per_user: {} } }];
      return { headers, least: KEY, full: fullKey(), other, same };
    },
  },
  {
    rpc: "CreateApiKey",
    of: "a publishable key",
    async prepare() {
      const { headers } = await dashboardUser();
      const other = { ...APP, publishableConfig: { oidc: { ...OIDC, requiredClaims: { a: "1" } } } };
      return { headers, least: APP, full: fullApp(), other };
    },
  },
  {
    rpc: "CreateTenantKey",
    of: "a secret key",
    async prepare() {
      const tenant = { tenant_id: newTenant() };
      const other = { ...tenant, ...KEY, rate_limit: { requests_per_minute: 5 } };
      return { headers: OPERATOR, least: { ...tenant, ...KEY }, full: { ...tenant, ...fullKey() }, other };
    },
  },
  {
    rpc: "CreateTenantKey",
    of: "a publishable key",
    async prepare() {
      const tenant = { tenant_id: newTenant() };
      const other = { ...tenant, ...APP, permissions: ["conversations:read"] };
      return { headers: OPERATOR, least: { ...tenant, ...APP }, full: { ...tenant, ...fullApp() }, other };
    },
  },
  {
    rpc: "RotateApiKey",
    async prepare() {
      const { tenant, headers } = await dashboardUser();
      const { key_id } = await dashboardOf(latchkey, tenant).createKey();
      const full = { key_id, grace_period_hours: 24 };
      return { headers, least: { key_id }, full, other: { key_id, grace_period_hours: 0 } };
    },
  },
  {
    rpc: "RotateTenantKey",
    async prepare() {
      const { tenant: tenant_id } = await dashboardUser();
      const { key_id } = await dashboardOf(latchkey, tenant_id).createKey();
      const least = { tenant_id, key_id };
      const full = { ...least, grace_period_hours: 24 };
      return { headers: OPERATOR, least, full, other: { ...least, grace_period_hours: 0 } };
    },
  },
  {
    rpc: "CreateWebhook",
    async prepare() {
      const { headers } = await dashboardUser();
      const least = { url: HOOK_URL, events: ["*"] };
      const full = { ...least, events: ["api_key.created", "api_key.revoked"], description: "of the shop" };
      const same = [{ ...least, events: ["api_key.created", "*"] }];
      return { headers, least, full, other: { ...least, events: ["api_key.created"] }, same };
    },
  },
  {
    rpc: "RotateWebhookSecret",
    async prepare() {
      const { headers } = await dashboardUser();
      const create = async () => {
        const { json } = await latchkey.call("/api/v1/webhooks/create", { url: HOOK_URL, events: ["*"] }, headers);
        return { webhook_id: json.result.webhook_id };
      };
      const least = await create();
      return { headers, least, full: least, other: await create() };
    },
  },
  {
    rpc: "CreateInvitation",
    async prepare() {
      const { owner, org } = await newOrganization(latchkey);
      const token = await latchkey.dashboardToken({ sub: owner.sub, tenant_id: org.tenant_id });
      const least = { email: "jo@example.com" };
      const same = [{ email: "Jo@Example.com" }];
      const full = { ...least, role: "developer" };
      return { headers: { authorization: `Bearer ${token}` }, least, full, other: full, same };
    },
  },
  {
    rpc: "DeriveToken",
    async prepare() {
      const permissions = ["plans:read", "conversations:read", "users:impersonate"];
      const { headers } = await derivingKey(latchkey, { permissions });
      const least = { scopes: ["plans:read"] };
      const bound = { user_id: "anna", audience: "https://api.example", confirmation_jkt: "a".repeat(43) };
      const full = { scopes: ["plans:read", "conversations:read"], ttl_seconds: 60, ...bound };
      return { headers, least, full, other: { scopes: ["conversations:read"] } };
    },
  },
];

const METHODS = SERVICES.flatMap(({ methods }) => methods).filter(({ input }) => named(input, "client_request_id"));
const titles = CASES.map((each) => [`${each.rpc}${each.of === undefined ? "" : `, ${each.of}`}`, each] as const);

function named({ fields }: DescMessage, name: string): DescField | undefined {
  return fields.find((field) => field.name === name);
}

function methodOf(rpc: string): DescMethod {
  const found = METHODS.find(({ name }) => name === rpc);
  if (found === undefined) throw new Error(`${rpc} has no client_request_id`);
  return found;
}

function callsTo({ rpc }: Case, { headers }: Requests) {
  return (body: JsonObject, id: string, more: Record<string, string> = {}) =>
    latchkey.call(
      rpcNamed(rpc).path,
      { ...body, ...(id !== "" && { client_request_id: id }) },
      { ...headers, ...more },
    );
}

/** The secret of an answer, and the rest without what says that it is a repetition. */
function partsOf(rpc: string, json: JsonObject) {
  const place = HANDED_SECRETS.find(({ method }) => method.name === rpc)?.place ?? "";
  const rest = structuredClone(json);
  const holder = place.startsWith("result.") ? rest.result : rest;
  const [secret, isAgain] = [holder[place.replace("result.", "")], holder.already_created];
  delete holder[place.replace("result.", "")];
  delete holder.already_created;
  delete rest.warning;
  return { secret, isAgain, rest };
}

describe("an RPC that hands over a secret", () => {
  test.each(HANDED_SECRETS.map(({ method, place }) => [method.name, method, place] as const))(
    "%s has a client_request_id, says that it was repeated, and is cached nowhere",
    (_, method, place) => {
      const { input, output } = method;
      expect(named(input, "client_request_id")).toBeDefined();
      const holder = place.startsWith("result.") ? named(output, "result")?.message : output;
      expect(holder && named(holder, "already_created")).toBeDefined();
      expect(getOption(method, policy).noStore).toBe(true);
    },
  );

  // threat: Q9
  test("is in this test, with every member of its request", () => {
    expect(new Set(CASES.map(({ rpc }) => rpc))).toEqual(new Set(METHODS.map(({ name }) => name)));
  });
});

describe.each(titles)("%s", (_, each) => {
  // threat: Q9
  test("answers a repeated call with the first one's, without the secret, and makes nothing", async () => {
    const requests = await each.prepare();
    const call = callsTo(each, requests);
    const answers = await Promise.all(Array.from({ length: 4 }, () => call(requests.least, "deploy-7")));
    answers.push(await call(requests.least, "deploy-7"));
    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    const parts = answers.map(({ json }) => partsOf(each.rpc, json));
    expect(parts.filter(({ secret }) => secret !== "")).toHaveLength(1);
    for (const { secret, isAgain } of parts) expect(isAgain).toBe(secret === "" ? true : undefined);
    expect(new Set(parts.map(({ rest }) => JSON.stringify(rest))).size).toBe(1);
  });

  test("is 409 already_exists with another request of the same id, and makes nothing", async () => {
    const requests = await each.prepare();
    const call = callsTo(each, requests);
    expect((await call(requests.least, "deploy-7")).status).toBe(200);
    const { status, json } = await call(requests.other, "deploy-7");
    expect({ status, code: json.code, reason: json.reason, field: json.field }).toEqual({
      ...{ status: 409, code: "already_exists" },
      ...{ reason: "client_request_id_reused", field: "client_request_id" },
    });
  });

  test("means the same with a default that is sent, or another spelling", async () => {
    const { least, same = [], ...caller } = await each.prepare();
    await expectSame(each, { ...caller, least }, least, [...withDefaults(methodOf(each.rpc).input, least), ...same]);
  });

  test("means the same with members and lists in another order, and instants of another zone", async () => {
    const { full, ...caller } = await each.prepare();
    await expectSame(each, { ...caller, full }, full, [turned(methodOf(each.rpc).input, full)]);
  });

  test("is named by the header Idempotency-Key, quoted or not, as by its member", async () => {
    const requests = await each.prepare();
    const call = callsTo(each, requests);
    expect((await call(requests.least, "", { "idempotency-key": '"deploy \\"7\\""' })).status).toBe(200);
    const headers: [id: string, header: string | undefined][] = [
      ['deploy "7"', undefined],
      ["", 'deploy "7"'],
      ['deploy "7"', 'deploy "7"'],
    ];
    for (const [id, header] of headers) {
      const { json, text } = await call(requests.least, id, header === undefined ? {} : { "idempotency-key": header });
      expect(partsOf(each.rpc, json).isAgain, text).toBe(true);
    }
    const differ = await call(requests.least, "one", { "idempotency-key": "two" });
    expect([differ.status, differ.json.field]).toEqual([400, "client_request_id"]);
    for (const header of ['"open', '"a", "b"', "\u00e9", "x".repeat(129)]) {
      const { status, json } = await call(requests.least, "", { "idempotency-key": header });
      expect({ status, code: json.code }, header).toEqual({ status: 400, code: "invalid_argument" });
    }
  });
});

test("a call whose webhook was deleted is 404, and makes no other", async () => {
  const headers = await latchkey.dashboard(newTenant());
  const body = { url: HOOK_URL, events: ["*"], client_request_id: "deploy-7" };
  const { json } = await latchkey.call("/api/v1/webhooks/create", body, headers);
  await latchkey.call("/api/v1/webhooks/delete", { webhook_id: json.result.webhook_id }, headers);
  const again = await latchkey.call("/api/v1/webhooks/create", body, headers);
  expect([again.status, again.json.reason]).toEqual([404, "webhook_not_found"]);
  expect((await latchkey.call("/api/v1/webhooks/list", {}, headers)).json.webhooks).toEqual([]);
});

async function expectSame(each: Case, requests: Requests, first: JsonObject, again: readonly JsonObject[]) {
  const call = callsTo(each, requests);
  const made = await call(first, "deploy-7");
  expect(made.status, made.text).toBe(200);
  const { rest } = partsOf(each.rpc, made.json);
  for (const body of again) {
    const { status, json, text } = await call(body, "deploy-7");
    expect(status, `${JSON.stringify(body)}: ${text}`).toBe(200);
    expect(partsOf(each.rpc, json)).toEqual({ secret: "", isAgain: true, rest });
  }
}

test("each optional member of these requests has a value here that means the same as none", () => {
  const unknown = requestMembers().filter(
    ({ method, field }) => METHODS.includes(method) && mayBeEmpty(field) && zeroOf(field) === undefined,
  );
  expect(Object.keys(DEFAULTS)).toEqual(expect.arrayContaining(unknown.map(({ field }) => qualifiedName(field))));
});
