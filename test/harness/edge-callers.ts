import { generateKey } from "../jwks/provider.ts";
import { derivingKey } from "./derived-tokens.ts";
import { dashboardOf } from "./key-management.ts";
import { newTenant } from "./latchkey.ts";
import { OPERATOR_TOKEN, operatorOf } from "./operator.ts";
import { bearer, type PublishableService } from "./publishable.ts";

export type HeaderList = readonly (readonly [name: string, value: string])[];

export const OPERATOR_TENANT = "ten_operator";
/** One of the platform's own. */
export const OWN_SCOPE = "reports:read";

/** Callers of each kind, with keys in each state. */
export interface EdgeCallers {
  readonly names: readonly string[];
  /** Whether its requests spend from a budget. */
  isLimited(name: string): boolean;
  /** The headers of one caller for three who decide; of three alike where what one of them spends would show at another. */
  three(name: string): Promise<readonly [HeaderList, HeaderList, HeaderList]>;
}

const FORGER = generateKey("ES256", { kid: "user-key" });
const PLANS = { permissions: ["plans:*"] };

export async function newEdgeCallers(service: PublishableService): Promise<EdgeCallers> {
  const { latchkey, closedHost } = service;
  const operator = operatorOf(latchkey);
  type Verb = "revoke" | "disable" | "rotate";

  async function secretKey(fields: object, then?: Verb, tenant = newTenant()): Promise<string> {
    const dashboard = dashboardOf(latchkey, tenant);
    const { key, key_id } = await dashboard.createKey({ ...PLANS, ...fields });
    if (then !== undefined) await dashboard.result(then, { key_id });
    return key;
  }
  const app = (fields: object = {}, oidc: Record<string, unknown> = {}) =>
    service.newApp({ fields: { ...PLANS, ...fields }, oidc });
  const withKey = (key: string, ...more: HeaderList): HeaderList => [["x-api-key", key], ...more];
  const headersOf = (headers: Readonly<Record<string, string>>): HeaderList => Object.entries(headers);

  const plain = await secretKey({});
  const one = await app();
  const other = await app();
  const expired = await secretKey({ expires_at: new Date(latchkey.clock.now().getTime() + 1_000).toISOString() });
  latchkey.clock.advance(2_000);
  const suspendedTenant = newTenant();
  const suspended = await secretKey({}, undefined, suspendedTenant);
  const suspendedApp = await service.newApp({ fields: PLANS, tenant: suspendedTenant });
  await operator.result("tenants/suspend", { tenant_id: suspendedTenant, reason: "test" });
  const agent = await secretKey({ permissions: ["plans:read", "users:impersonate"] });
  const fencedApp = await app({ allowed_origins: ["https://app.example"] });
  const pickyApp = await app({}, { requiredClaims: { plan: "pro" }, tokenType: "access", userIdPrefix: "app:" });
  const lostApp = await app({}, { jwksUrl: `http://${closedHost}/keys` });
  const deriving = await derivingKey(latchkey, PLANS);
  const { token: derived } = await deriving.derive({ scopes: ["plans:read"] });
  const user = bearer(await latchkey.dashboardToken());

  const alike: Readonly<Record<string, HeaderList>> = {
    nothing: [],
    "another scheme": [["authorization", "Basic YTpi"]],
    "a dashboard user": headersOf(user),
    "the operator": headersOf(bearer(OPERATOR_TOKEN)),
    "an own token": headersOf(bearer(derived)),
    "an own token beside its key": [...headersOf(bearer(derived)), ...headersOf(deriving.headers)],
    "an empty key": withKey(""),
    "no key": withKey("nonsense"),
    "an unknown key": withKey(`sk_${"a".repeat(36)}`),
    "an unknown branded key": withKey(`sk_acme_${"a".repeat(36)}`),
    "a key of another brand": withKey(`sk_other_${"a".repeat(36)}`),
    "a mistyped key": withKey(plain.slice(0, -1)),
    "a mistyped publishable key": withKey("pk_acme_1"),
    "an own edge token as key": withKey("edge-token-of-tests-0123456789abcdef"),
    "two keys": withKey(plain, ["x-api-key", agent]),
    "a key twice": withKey(plain, ["x-api-key", plain]),
    "a key and a user": withKey(plain, ...headersOf(user)),
    "a key and two tokens": withKey(plain, ["authorization", "Bearer a"], ["authorization", "Bearer b"]),
    "a secret key": withKey(plain),
    "a secret key with *": withKey(await secretKey({ permissions: ["*"] })),
    "a secret key with * of the operator's tenant": withKey(
      await secretKey({ permissions: ["*"] }, undefined, OPERATOR_TENANT),
    ),
    "a secret key that only reads": withKey(await secretKey({ permissions: ["plans:read", OWN_SCOPE] })),
    "a secret key for users": withKey(agent),
    "an expired key": withKey(expired),
    "a disabled key": withKey(await secretKey({}, "disable")),
    "a revoked key": withKey(await secretKey({}, "revoke")),
    "a rotated key": withKey(await secretKey({}, "rotate")),
    "a key of a suspended tenant": withKey(suspended),
    "a publishable key of a suspended tenant": headersOf(suspendedApp.headers()),
    "a key for some addresses": withKey(await secretKey({ allowed_ips: ["192.0.2.0/24", "2001:db8::/32"] })),
    "a key for the address of the guarded service": withKey(await secretKey({ allowed_ips: ["127.0.0.1"] })),
    "a key for browsers": withKey(await secretKey({ allow_browser: true })),
    "a publishable key": headersOf(one.headers()),
    "a publishable key alone": headersOf(one.keyHeader),
    "a publishable key with an expired token": headersOf(one.headers(one.token({ exp: 1 }))),
    "a publishable key with a token that is not valid yet": headersOf(one.headers(one.token({ nbf: 9_999_999_999 }))),
    "a publishable key with a forged token": headersOf(one.headers(one.token({}, FORGER))),
    "a publishable key with a token of another issuer": headersOf(
      one.headers(one.token({ iss: "https://evil.example" })),
    ),
    "a publishable key with a token for another app": headersOf(one.headers(one.token({ aud: other.audience }))),
    "a publishable key with another app's token": headersOf(one.headers(other.token())),
    "a publishable key with a token without a user": headersOf(one.headers(one.token({ sub: undefined }))),
    "a publishable key with a broken token": headersOf(one.headers("a.b.c")),
    "a publishable key with a key as token": headersOf(one.headers(plain)),
    "a publishable key with another scheme": headersOf({ ...one.keyHeader, authorization: "Basic YTpi" }),
    "a publishable key with an empty token": headersOf({ ...one.keyHeader, authorization: "" }),
    "a publishable key with two tokens": [...headersOf(one.headers()), ["authorization", "Bearer b"]],
    "a publishable key for a page": headersOf(fencedApp.headers()),
    "a publishable key whose claims are missing": headersOf(pickyApp.headers()),
    "a publishable key with all that it requires": headersOf(
      pickyApp.headers(pickyApp.token({ plan: "pro" }, undefined, { typ: "at+jwt" })),
    ),
    "a publishable key whose issuer is away": headersOf(lostApp.headers()),
  };

  const three = async (make: () => Promise<HeaderList>) => [await make(), await make(), await make()] as const;
  const limited: Readonly<Record<string, () => Promise<HeaderList>>> = {
    "a limited key": async () => withKey(await secretKey({ rate_limit: { requests_per_hour: 3 } })),
    // Its bucket fills up in so many minutes that no test sees it.
    "a limited key with a burst": async () =>
      withKey(await secretKey({ rate_limit: { requests_per_hour: 4, burst_size: 2 } })),
    "a key whose limit is far": async () => withKey(await secretKey({ rate_limit: { requests_per_hour: 1_000_000 } })),
    "a limited key for users": async () => {
      const rate_limit = { requests_per_hour: 4, per_user: { requests_per_hour: 2 } };
      const key = await secretKey({ permissions: ["plans:*", "users:impersonate"], rate_limit });
      return withKey(key, ["x-on-behalf-of", "otto"]);
    },
    "a limited publishable key": async () =>
      headersOf((await app({ rate_limit: { requests_per_hour: 5, per_user: { requests_per_hour: 2 } } })).headers()),
    "a limited publishable key without a token": async () =>
      headersOf((await app({ rate_limit: { requests_per_hour: 2 } })).keyHeader),
    "a limited key that is fenced": async () =>
      withKey(await secretKey({ allowed_ips: ["192.0.2.0/24"], rate_limit: { requests_per_hour: 2 } })),
  };

  return {
    names: [...Object.keys(alike), ...Object.keys(limited)],
    isLimited: (name) => name in limited,
    async three(name) {
      const make = limited[name];
      if (make !== undefined) return three(make);
      const headers = alike[name] ?? [];
      return [headers, headers, headers];
    },
  };
}
