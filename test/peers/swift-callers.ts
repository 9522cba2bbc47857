import { derivingKey } from "../harness/derived-tokens.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { type Latchkey, newTenant, startLatchkey } from "../harness/latchkey.ts";
import { operatorOf } from "../harness/operator.ts";
import { invite, newOrganization } from "../harness/organizations.ts";
import { bearer, type PublishableService, startPublishable, USER_KEY } from "../harness/publishable.ts";
import { generateKey } from "../jwks/provider.ts";
import { type Denials, startFaults } from "./swift-faults.ts";

/** A running service, a server that goes wrong before it, and what the tests of the Swift package read of the environment. */
export interface SwiftCallers {
  readonly env: Record<string, string>;
  close(): Promise<void>;
}

export async function startSwiftCallers(): Promise<SwiftCallers> {
  const service = await startPublishable();
  const { latchkey, keyHost, newApp } = service;
  const withoutProvider = await startLatchkey({ config: { dashboard: null } });
  const permissions = ["conversations:*", "users:impersonate"];
  const tenant = newTenant();
  const expiredAccessToken = await expiredTokenOf(latchkey, tenant, permissions);
  const app = await newApp({ tenant });
  const token = await latchkey.dashboardToken({ tenant_id: tenant });
  const { key } = await latchkey.createKey(bearer(token), { permissions });
  const { owner } = await newOrganization(latchkey);
  const invited = { sub: "invited", email: "invited@example.com", email_verified: true, tenant_id: undefined };
  const denials = await waysToBeDenied(service, withoutProvider.url);
  const faults = await startFaults(latchkey.url, denials);
  return {
    env: {
      LATCHKEY_URL: latchkey.url,
      LATCHKEY_KEY: key,
      LATCHKEY_TOKEN: token,
      LATCHKEY_PUBLISHABLE_KEY: app.keyHeader["x-api-key"],
      LATCHKEY_USER_TOKEN: app.token(),
      LATCHKEY_EXPIRED_TOKEN: app.token({ exp: Number(app.claims().iat) - 60 }),
      LATCHKEY_EXPIRED_ACCESS_TOKEN: expiredAccessToken,
      LATCHKEY_INVITATION: (await invite(owner, invited.email)).token,
      LATCHKEY_INVITED_TOKEN: await latchkey.dashboardToken(invited),
      LATCHKEY_FAULTS: faults.url,
      LATCHKEY_DENIALS: [...denials.keys()].join(","),
    },
    close: async () => {
      await faults.close();
      await withoutProvider.close();
      await latchkey.close();
      await keyHost.close();
    },
  };
}

/** A token that was derived from a key of the tenant, a minute too late. It moves the service's clock. */
async function expiredTokenOf(latchkey: Latchkey, tenant: string, permissions: readonly string[]): Promise<string> {
  const deriving = await derivingKey(latchkey, { permissions }, tenant);
  const { token } = await deriving.derive({ scopes: ["conversations:read"], ttl_seconds: 60 });
  latchkey.clock.advance(120_000);
  return String(token);
}

/** Credentials for each reason to deny a call of ListThreads. */
async function waysToBeDenied(service: PublishableService, withoutProvider: string): Promise<Denials> {
  const { latchkey, platform, newApp } = service;
  const app = await newApp();
  const dashboard = dashboardOf(latchkey, app.tenant);
  const keyed = async (fields: Record<string, unknown>, end?: "revoke" | "disable" | "rotate") => {
    const { key, key_id } = await dashboard.createKey(fields);
    if (end !== undefined) await dashboard.result(end, { key_id, ...(end === "rotate" && { grace_period_hours: 0 }) });
    return { "x-api-key": key };
  };
  const oidc = (await newApp({ oidc: { jwksUrl: `http://${service.closedHost}/keys` } })) satisfies object;
  const suspended = dashboardOf(latchkey);
  const suspendedKey = await suspended.createKey();
  const suspendedUser = await latchkey.dashboard(suspended.tenant);
  await operatorOf(latchkey).result("tenants/suspend", { tenant_id: suspended.tenant });
  // It stays spent, however long the compiler takes.
  const limited = await keyed({ rate_limit: { requests_per_hour: 1 } });
  await latchkey.call("/api/v1/llm/gateway/list-threads", {}, limited);
  const deriving = await derivingKey(latchkey);
  const revoked = await deriving.derive({ scopes: ["conversations:read"] });
  await latchkey.call("/api/v1/tokens/revoke", { token_id: revoked.token_id }, deriving.headers);
  const stranger = generateKey("ES256", { kid: USER_KEY.jwk.kid });
  const of = (headers: Record<string, string>, url = latchkey.url) => ({ url, headers });
  return new Map([
    ["missing_credentials", of({})],
    ["api_key_not_found", of({ "x-api-key": `${suspendedKey.key.slice(0, -6)}AAAAAA` })],
    ["api_key_expired", of(await keyed({}, "rotate"))],
    ["api_key_disabled", of(await keyed({}, "disable"))],
    ["api_key_revoked", of(await keyed({}, "revoke"))],
    ["api_key_invalid", of({ "x-api-key": "nonsense" })],
    ["insufficient_scope", of(await keyed({ permissions: ["plans:read"] }))],
    ["rate_limited", of(limited)],
    ["publishable_key_requires_jwt", of(app.keyHeader)],
    ["jwt_expired", of(app.headers(app.token({ exp: Number(app.claims().iat) - 60 })))],
    ["jwt_malformed", of(app.headers("abc"))],
    ["jwt_invalid_signature", of(app.headers(app.token({}, stranger)))],
    ["jwt_invalid_issuer", of(app.headers(app.token({ iss: "https://other.example" })))],
    ["jwt_invalid_audience", of(app.headers(app.token({ aud: "other" })))],
    ["user_id_claim_not_found", of(app.headers(app.token({ sub: undefined })))],
    ["token_revoked", of(bearer(String(revoked.token)))],
    ["tenant_required", of(bearer(platform.token({ tenant_id: undefined })))],
    ["verifier_error", of(oidc.headers())],
    [
      "misconfigured_publishable_key",
      of({
        ...(await keyed({ keyType: "KEY_TYPE_PUBLISHABLE", permissions: ["conversations:read"] })),
        ...bearer(app.token()),
      }),
    ],
    ["oidc_not_configured", of(bearer("a.b.c"), withoutProvider)],
    ["tenant_suspended", of(suspendedUser)],
    ["origin_not_allowed", of(await keyed({ allowed_ips: ["203.0.113.7"] }))],
  ]);
}
