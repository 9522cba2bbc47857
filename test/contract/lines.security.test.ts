// promise: overload.strangers
import { once } from "node:events";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSecret } from "../../src/domain/credentials/secret.ts";
import type { DenialReason } from "../../src/domain/vocabulary/denial.ts";
import { newBoundToken } from "../harness/bound-tokens.ts";
import { derivingKey } from "../harness/derived-tokens.ts";
import { type Dashboard, dashboardOf } from "../harness/key-management.ts";
import { NO_BOUNDS } from "../harness/no-bounds.ts";
import { bearer, type ClientApp, type PublishableService, startPublishable } from "../harness/publishable.ts";
import { trusting } from "../harness/trusted-proxies.ts";
import { generateKey } from "../jwks/provider.ts";

type Headers = Record<string, string | string[]>;

const VERIFY = "/api/v1/auth/verify";
/** That a process may have under way. One line gets half of them. */
const REQUESTS_MAX = 16;
const FLOOD = 10;
const BACKEND = { "x-forwarded-for": "198.51.100.7" };
const STRANGER = { "x-forwarded-for": "203.0.113.9" };
const DOORS = { "a call": ["POST", VERIFY], "/auth/check": ["GET", "/auth/check"] } as const;

let service: PublishableService;
let session: ClientHttp2Session;
let app: ClientApp;
let tenant: Dashboard;
let backend: Headers;

beforeAll(async () => {
  service = await startPublishable({
    overload: { ...NO_BOUNDS, requestsMax: REQUESTS_MAX },
    trustedProxies: trusting(["127.0.0.1"]),
  });
  session = connect(service.latchkey.url);
  app = await service.newApp();
  tenant = dashboardOf(service.latchkey, app.tenant);
  backend = { "x-api-key": (await tenant.createKey({})).key, ...BACKEND };
  expect(await send(DOORS["a call"], backend)).toBe(200);
});
afterAll(async () => {
  session.close();
  await service.latchkey.close();
  await service.keyHost.close();
});

async function send([method, path]: readonly [string, string], headers: Headers): Promise<number> {
  const request = { ":method": method, ":path": path, "content-type": "application/json", ...headers };
  const stream = session.request(request);
  const answered = once(stream, "response");
  stream.end(method === "POST" ? "{}" : undefined);
  const [{ [constants.HTTP2_HEADER_STATUS]: status }] = await answered;
  await text(stream);
  return Number(status);
}

/** A stranger's requests and one of the tenant's backend behind them, all in one write. Returns what the backend is answered. */
async function callBehind(door: readonly [string, string], flood: Headers): Promise<number> {
  await send(door, flood);
  const strangers = Array.from({ length: FLOOD }, () => send(door, flood));
  const own = send(DOORS["a call"], backend);
  await Promise.all(strangers);
  return own;
}

/** Used by a stranger while it is accepted, on every path, and then taken from them. */
async function spent(headers: Headers, end: () => Promise<unknown>): Promise<Headers> {
  for (const door of Object.values(DOORS)) expect(await send(door, headers)).toBe(200);
  await end();
  return headers;
}

async function secretKey(then: "revoke" | "disable"): Promise<Headers> {
  const { key, key_id } = await tenant.createKey({});
  return spent({ "x-api-key": key, ...STRANGER }, () => tenant.result(then, { key_id }));
}

const user = (changes: Record<string, unknown>): Headers => ({ ...app.headers(app.token(changes)), ...STRANGER });
const ownApp = (fields: Record<string, unknown>, oidc: Record<string, unknown> = {}) =>
  service.newApp({ tenant: app.tenant, fields, oidc });

/** For each reason, what is a tenant's, can be seen or held by strangers, and is denied with it. Or why there is none. */
const DENIED: Readonly<Record<DenialReason, string | (() => Promise<Headers>)>> = {
  missing_credentials: async () => ({ ...STRANGER }),
  api_key_not_found: async () => ({ "x-api-key": makeSecret("secret"), ...STRANGER }),
  api_key_expired: async () => {
    const expires_at = new Date(service.latchkey.clock.now().getTime() + 60_000).toISOString();
    const { key } = await tenant.createKey({ expires_at });
    return spent({ "x-api-key": key, ...STRANGER }, async () => service.latchkey.clock.advance(61_000));
  },
  api_key_disabled: () => secretKey("disable"),
  api_key_revoked: () => secretKey("revoke"),
  api_key_invalid: async () => ({ "x-api-key": [app.keyHeader["x-api-key"], "sk_a"], ...STRANGER }),
  insufficient_scope: async () => ({ ...user({}), "x-on-behalf-of": "user_2" }),
  rate_limited: async () => ({ ...(await ownApp({ rate_limit: { requests_per_hour: 1 } })).headers(), ...STRANGER }),
  publishable_key_requires_jwt: async () => ({ ...app.keyHeader, ...STRANGER }),
  jwt_expired: async () => user({ exp: 1 }),
  jwt_malformed: async () => ({ ...app.headers("a.b.c"), ...STRANGER }),
  jwt_invalid_signature: async () => ({
    ...app.headers(app.token({}, generateKey("ES256", { kid: "user-key" }))),
    ...STRANGER,
  }),
  jwt_invalid_issuer: async () => user({ iss: "https://other.example" }),
  jwt_invalid_audience: async () => user({ aud: "other" }),
  user_id_claim_not_found: async () => user({ sub: undefined }),
  token_revoked: async () => {
    const key = await derivingKey(service.latchkey, {}, app.tenant);
    const { token, token_id } = await key.derive({ scopes: ["plans:read"] });
    const admin = await service.latchkey.dashboard(app.tenant);
    return spent({ ...bearer(String(token)), ...STRANGER }, () =>
      service.latchkey.call("/api/v1/tokens/revoke", { token_id }, admin),
    );
  },
  tenant_required: async () => ({
    ...bearer(await service.latchkey.dashboardToken({ tenant_id: undefined })),
    ...STRANGER,
  }),
  tenant_suspended: "such a tenant has no calls that could fail",
  origin_not_allowed: async () => {
    const { key } = await tenant.createKey({ allowed_ips: [BACKEND["x-forwarded-for"]] });
    expect(await send(DOORS["a call"], { "x-api-key": key, ...BACKEND })).toBe(200);
    return { "x-api-key": key, ...STRANGER };
  },
  verifier_error: async () => ({
    ...(await ownApp({}, { jwksUrl: `http://${service.closedHost}/keys` })).headers(),
    ...STRANGER,
  }),
  misconfigured_publishable_key: "no such key can be created",
  oidc_not_configured: "this service has an identity provider",
};

/** What is not denied, or by another rule than its reason says. */
const OTHERS: Readonly<Record<string, () => Promise<Headers>>> = {
  "an app's user, who is accepted": async () => user({}),
  "the id of a key": async () => ({ "x-api-key": app.keyId, ...STRANGER }),
  "a bound token without its sender's proof": async () => ({
    authorization: `DPoP ${(await newBoundToken(service.latchkey)).token}`,
    ...STRANGER,
  }),
};

const HELD = Object.entries({ ...DENIED, ...OTHERS }).flatMap(([name, prepare]) =>
  typeof prepare === "string" ? [] : [{ name, prepare }],
);

describe.each(Object.entries(DOORS))("beside a flood of %s", (_, door) => {
  // threat: Q10
  test.each(HELD)("with $name, the tenant's backend is served", async ({ prepare }) => {
    expect(await callBehind(door, await prepare())).toBe(200);
  });

  test("with a secret key of its own, it is not: it waits behind its own requests", async () => {
    expect(await callBehind(door, { ...backend })).toBe(503);
  });
});
