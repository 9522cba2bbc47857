import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { generateKey, type SigningKey, signToken } from "../jwks/provider.ts";
import type { Answer } from "./http.ts";
import { CLOSED_HOST, type KeyDocument, type KeyHost, startKeyHost } from "./key-host.ts";
import { dashboardOf } from "./key-management.ts";
import { type Latchkey, type LatchkeyOptions, newTenant, startLatchkey } from "./latchkey.ts";

/** Returns the authenticated caller. */
const VERIFY = "/api/v1/auth/verify";
const MANAGEMENT = "/api/v1/api-keys/list";

/** An identity provider as its tokens and its key document. */
export interface Provider {
  readonly issuer: string;
  readonly audience: string;
  readonly document: KeyDocument;
  /** The claims of a valid token, and what a test is about. A value of undefined leaves a claim out. */
  claims(changes?: Record<string, unknown>): Record<string, unknown>;
  /** A token with these claims and, where given, another key or header. */
  token(changes?: Record<string, unknown>, key?: SigningKey, header?: Record<string, unknown>): string;
  /** The outcome of a call with this token: `admitted`, or the reason of the denial. */
  outcomeOf(token: string): Promise<string>;
}

/** A client app of a tenant: its publishable key, and the provider of its users. */
export interface ClientApp extends Provider {
  readonly tenant: string;
  readonly keyId: string;
  /** Header of the key alone. */
  readonly keyHeader: { readonly "x-api-key": string };
  /** Headers of a user; with a valid token unless another one is given. */
  headers(token?: string): Record<string, string>;
  /** Calls auth/verify with this token. */
  verify(token?: string): Promise<Answer>;
}

/** A service that may fetch key sets from loopback. */
export interface PublishableService {
  readonly latchkey: Latchkey;
  readonly keyHost: KeyHost;
  /** Allowed, too, but without a listener. */
  readonly closedHost: string;
  /** The provider of dashboard users. */
  readonly platform: Provider;
  /** A new app of a new tenant whose provider publishes `keys` and signs with the first of them. */
  newApp(options?: AppOptions): Promise<ClientApp>;
}

interface AppOptions {
  readonly keys?: readonly SigningKey[];
  readonly oidc?: Record<string, unknown>;
  readonly fields?: Record<string, unknown>;
  readonly document?: KeyDocument;
  readonly tenant?: string;
}

export const USER_KEY = generateKey("ES256", { kid: "user-key" });
export const PLATFORM_KEY = generateKey("ES256", { kid: "platform-key" });

const shared: { readonly config: object; readonly service: Promise<PublishableService> }[] = [];

/** As `sharedLatchkey`: every app is of its own tenant, and tokens are made after moving the clock. */
export function sharedPublishable(config: LatchkeyOptions["config"] = {}): Promise<PublishableService> {
  const found = shared.find((each) => isDeepStrictEqual(each.config, config));
  if (found !== undefined) return found.service;
  const service = startPublishable(config);
  shared.push({ config, service });
  return service;
}

export async function startPublishable(
  config: LatchkeyOptions["config"] = {},
  audience = "dashboard",
): Promise<PublishableService> {
  const keyHost = await startKeyHost();
  const document = keyHost.document(PLATFORM_KEY.jwk);
  const issuer = "https://platform.example";
  const started = await startLatchkey({
    config: {
      ...config,
      jwksAllowedHosts: [keyHost.host, CLOSED_HOST],
      dashboard: {
        expectation: { issuer, audience, jwksUrl: document.url, jwksOwner: { kind: "operator" } },
        userIdClaim: "sub",
        tenantClaim: "tenant_id",
        requiredClaims: {},
      },
    },
  });
  const { clock } = started;
  const tokens = tokensOf(started, { issuer, audience, tenant_id: newTenant(), roles: ["owner"] }, PLATFORM_KEY);
  const dashboardToken = async (claims: Record<string, unknown> = {}) =>
    tokens.token({ tenant_id: newTenant(), ...claims });
  const latchkey: Latchkey = {
    ...started,
    clock,
    dashboardToken,
    dashboard: async (tenant = newTenant()) => bearer(await dashboardToken({ tenant_id: tenant })),
  };
  const platform: Provider = {
    ...tokens,
    document,
    outcomeOf: async (token) => reasonOf(await latchkey.call(MANAGEMENT, {}, bearer(token))),
  };
  const service = { latchkey, keyHost, closedHost: CLOSED_HOST, platform };
  return { ...service, newApp: (options = {}) => newApp(service, options) };
}

async function newApp({ latchkey, keyHost }: Omit<PublishableService, "newApp">, options: AppOptions) {
  const { keys = [USER_KEY], oidc = {}, fields = {} } = options;
  const document = options.document ?? keyHost.document(...keys.map(({ jwk }) => jwk));
  const [signer = USER_KEY] = keys;
  const configured = { issuer: `https://${randomUUID()}.example`, audience: randomUUID(), jwksUrl: document.url };
  const { issuer, audience } = { ...configured, ...oidc };
  const dashboard = dashboardOf(latchkey, options.tenant);
  const { key, key_id } = await dashboard.createKey({
    keyType: "KEY_TYPE_PUBLISHABLE",
    publishableConfig: { oidc: { ...configured, ...oidc } },
    ...fields,
  });
  const tokens = tokensOf(latchkey, { issuer, audience }, signer);
  const keyHeader = { "x-api-key": key };
  const headers = (token = tokens.token()) => ({ ...keyHeader, ...bearer(token) });
  const verify = (token?: string) => latchkey.call(VERIFY, {}, headers(token));
  const outcomeOf = async (token: string) => reasonOf(await verify(token));
  return { ...tokens, document, tenant: dashboard.tenant, keyId: key_id, keyHeader, headers, verify, outcomeOf };
}

type Expected = { issuer: string; audience: string } & Record<string, unknown>;

function tokensOf({ clock }: Latchkey, { issuer, audience, ...own }: Expected, signer: SigningKey) {
  const claims = (changes: Record<string, unknown> = {}): Record<string, unknown> => {
    const nowS = Math.floor(clock.now().getTime() / 1_000);
    return { iss: issuer, aud: audience, sub: "user_1", iat: nowS, exp: nowS + 3_600, ...own, ...changes };
  };
  const token = (changes: Record<string, unknown> = {}, key = signer, header: Record<string, unknown> = {}) =>
    signToken(key, claims(changes), { alg: key.alg, kid: key.jwk.kid, typ: "JWT", ...header });
  return { issuer, audience, claims, token };
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** `admitted`, the reason of a denial, or the status of any other answer. */
export function reasonOf({ status, json }: Answer): string {
  return status === 200 ? "admitted" : String(json.denial_reason ?? status);
}
