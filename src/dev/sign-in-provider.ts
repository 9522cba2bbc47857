import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { JWK } from "jose";
import Provider, { type Configuration, errors } from "oidc-provider";
import { isSameAudience } from "../domain/tokens/same-audience.ts";
import { boundTo } from "../transport/http/server.ts";
import { createProviderStorage } from "./provider-storage.ts";
import { signInPage } from "./sign-in-page.ts";
import { ALG, KEY_ID } from "./token-signer.ts";

/** The claims of a user's tokens besides their id. */
export interface UserClaims {
  readonly email: string;
  readonly email_verified: true;
  readonly tenant_id?: string;
  readonly roles?: readonly string[];
}

/** The resource of access tokens, such as an MCP server (RFC 8707). */
export interface TokenResource {
  /** As clients name it in the parameter `resource`. */
  readonly url: string;
  /** The scopes that are granted for it, to whatever client asks. */
  readonly scopes: readonly string[];
}

export interface SignInOptions {
  /** Private; its public half is the key set. */
  readonly signingKey: JWK;
  /** 0: any free one. */
  readonly port: number;
  /** The client that is there from the start: a public one, with PKCE. It is the audience of its ID tokens. */
  readonly clientId: string;
  /** Pages that sign users in: their origins may call the token endpoint. */
  readonly redirectUris: readonly string[];
  /** Where the provider leads after a sign-out, besides the origins of `redirectUris`. */
  readonly signedOutUris?: readonly string[];
  /** Users that the sign-in page offers, besides any other that is typed in. */
  readonly users: readonly { readonly sub: string; readonly description: string }[];
  /**
   * With any, clients that name one of them get an access token for it, a JWT with the user's claims, and clients may register
   * themselves (RFC 7591), as those of MCP do. Default: none.
   */
  readonly resources?: readonly TokenResource[];
  /** Further pages, in HTML, by their paths. */
  readonly pages?: ReadonlyMap<string, string>;
  /** Called when a token is issued, at sign-in and at each refresh: an error fails it, as with a hook that is away. */
  readonly claimsOf: (sub: string) => Promise<UserClaims>;
}

export interface SignInProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  close(): Promise<void>;
}

type Context = Parameters<Parameters<Provider["use"]>[0]>[0];

/** Seconds. */
const LIVES = {
  ...{ AccessToken: 3_600, IdToken: 3_600, AuthorizationCode: 60, Interaction: 3_600 },
  ...{ Grant: 86_400, RefreshToken: 86_400, Session: 86_400 },
};

/**
 * A real OpenID provider on loopback, for development and tests: authorization code with PKCE, refresh, logout, resources. It has
 * no passwords: visitors of its sign-in page choose the user.
 */
export async function startSignInProvider(options: SignInOptions): Promise<SignInProvider> {
  let respond: ReturnType<Provider["callback"]> | undefined;
  // The issuer has the port, so the port is bound first.
  const server = createServer((req, res) => void respond?.(req, res));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, "127.0.0.1", resolve);
  });
  const issuer = `http://127.0.0.1:${boundTo(server).port}`;
  const provider = new Provider(issuer, configurationOf(options));
  provider.use(async (ctx, next) => {
    const page = options.pages?.get(ctx.path);
    if (page !== undefined) showPage(ctx, page);
    else if (ctx.path.startsWith("/interaction/")) await interact(provider, ctx, options);
    else await next();
  });
  respond = provider.callback();
  return {
    issuer,
    jwksUrl: `${issuer}/jwks.json`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function configurationOf({
  signingKey,
  clientId,
  redirectUris,
  signedOutUris = [],
  resources = [],
  claimsOf,
}: SignInOptions): Configuration {
  const origins = redirectUris.map((uri) => new URL(uri).origin);
  const storage = createProviderStorage();
  return {
    adapter: storage,
    jwks: { keys: [{ ...signingKey, kid: KEY_ID, alg: ALG, use: "sig" } as JWK & { kty: "EC" }] },
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: "none",
        redirect_uris: [...redirectUris],
        post_logout_redirect_uris: [...origins.map((origin) => `${origin}/`), ...signedOutUris],
        response_types: ["code"],
        grant_types: ["authorization_code", "refresh_token"],
        id_token_signed_response_alg: ALG,
      },
    ],
    // Those of `openid` are in the ID token; those of other scopes are left out of it.
    claims: { openid: ["sub", "tenant_id", "roles", "email", "email_verified"] },
    scopes: ["openid", "offline_access", ...resources.flatMap(({ scopes }) => scopes)],
    clientDefaults: { id_token_signed_response_alg: ALG },
    async findAccount(_ctx, sub) {
      return { accountId: sub, claims: async () => ({ sub, ...(await claimsOf(sub)) }) };
    },
    clientBasedCORS: (_ctx, origin) => origins.includes(origin),
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
      registration: { enabled: resources.length > 0 },
      resourceIndicators: {
        enabled: resources.length > 0,
        getResourceServerInfo: (_ctx, indicator) => resourceServer(resources, indicator),
        useGrantedResource: () => true,
      },
    },
    // Those of ID tokens are from `findAccount`. An opaque token has no claims.
    extraTokenClaims: async (_ctx, token) =>
      token.kind === "AccessToken" && token.resourceServer !== undefined
        ? { ...(await claimsOf(token.accountId)) }
        : {},
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    routes: { jwks: "/jwks.json" },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    ttl: LIVES,
    // A refresh token needs no consent page of its own.
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
  };
}

function resourceServer(resources: readonly TokenResource[], indicator: string) {
  const found = resources.find(({ url }) => isSameAudience(url, indicator));
  if (found === undefined) throw new errors.InvalidTarget("no such resource is known here");
  return {
    scope: found.scopes.join(" "),
    audience: found.url,
    accessTokenFormat: "jwt" as const,
    accessTokenTTL: LIVES.AccessToken,
    jwt: { sign: { alg: ALG } as const },
  };
}

/** GET shows the page, unless `login_hint` names the user; POST signs in the chosen user. */
async function interact(provider: Provider, ctx: Context, { users }: SignInOptions): Promise<void> {
  const { params, session, grantId } = await provider.interactionDetails(ctx.req, ctx.res);
  const hint = typeof params.login_hint === "string" ? params.login_hint : undefined;
  const accountId = session?.accountId ?? (ctx.method === "POST" ? await chosenUser(ctx) : hint);
  if (accountId === undefined || accountId === "") {
    return showPage(ctx, signInPage(ctx.path, users));
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId, clientId: String(params.client_id) });
  const scope = String(params.scope ?? "");
  grant.addOIDCScope(scope);
  for (const resource of [params.resource].flat())
    if (typeof resource === "string") grant.addResourceScope(resource, scope);
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(ctx.req, ctx.res, result);
  ctx.respond = false;
}

function showPage(ctx: Context, html: string): void {
  ctx.type = "html";
  ctx.set("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'");
  ctx.body = html;
}

async function chosenUser({ req }: Context): Promise<string> {
  let form = "";
  for await (const chunk of req) form += chunk;
  return new URLSearchParams(form).get("sub")?.trim() ?? "";
}
