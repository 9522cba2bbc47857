import * as oauth from "oauth4webapi";

/** A browser without a window: it keeps cookies and follows redirects one by one. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #login: Login | undefined;

  constructor(login: Login | undefined) {
    this.#login = login;
  }

  async open(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";", 1)[0]?.split(/=(.*)/s, 2) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }

  /** Follows redirects until one leads to `end`, and returns that. */
  async follow(from: URL, end: string): Promise<URL> {
    let url = from;
    for (let hops = 0; hops < 10; hops++) {
      if (url.href.startsWith(end)) return url;
      let response = await this.open(url.href);
      if (response.headers.get("location") === null) response = await this.#submit(url, response);
      const location = response.headers.get("location");
      if (location === null) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
      url = new URL(location, url);
    }
    throw new Error(`no end after 10 redirects, at ${url}`);
  }

  /** Sends the first form of a page that is posted, with what the page itself has filled in. */
  async #submit(url: URL, page: Response): Promise<Response> {
    const html = await page.text();
    const [, attributes, inner = ""] = /<form\b([^>]*\bmethod="post"[^>]*)>(.*?)<\/form>/is.exec(html) ?? [];
    if (this.#login === undefined || attributes === undefined)
      throw new Error(`${url} answered ${page.status}: ${html}`);
    const body = new URLSearchParams(this.#login);
    for (const [input] of inner.matchAll(/<input\b[^>]*\btype="hidden"[^>]*>/gi))
      body.append(attributeOf(input, "name"), attributeOf(input, "value"));
    return this.open(new URL(attributeOf(attributes, "action"), url).href, { method: "POST", body });
  }
}

function attributeOf(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&amp;", "&") ?? "";
}

const INSECURE = { [oauth.allowInsecureRequests]: true } as const;

/** A user who is signed in, with their tokens. */
export interface SignedIn {
  readonly idToken: string;
  readonly accessToken: string;
  /** Gets new tokens, without a second sign-in. */
  refresh(): Promise<SignedIn>;
}

/** What is typed into a provider's sign-in form, by the names of its fields. */
export type Login = Readonly<Record<string, string>>;

/**
 * Signs in at a provider by authorization code with PKCE, as an app would: by its sign-in form, or as the user that
 * `login_hint` names where a text is given.
 */
export async function signIn(
  issuer: string,
  clientId: string,
  redirectUri: string,
  user: string | Login,
  alg = "ES256",
): Promise<SignedIn> {
  const server = await oauth
    .discoveryRequest(new URL(issuer), INSECURE)
    .then((response) => oauth.processDiscoveryResponse(new URL(issuer), response));
  const client: oauth.Client = { client_id: clientId, id_token_signed_response_alg: alg };
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const authorize = new URL(server.authorization_endpoint ?? "");
  authorize.search = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    // A provider that asks for no consent gives a refresh token without `offline_access`, or refuses that.
    ...(typeof user === "string" ? { scope: "openid offline_access", prompt: "consent" } : { scope: "openid" }),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
    ...(typeof user === "string" && { login_hint: user }),
  }).toString();
  const callback = await new Browser(typeof user === "string" ? undefined : user).follow(authorize, redirectUri);
  const params = oauth.validateAuthResponse(server, client, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    params,
    redirectUri,
    verifier,
    INSECURE,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  return signedIn(server, client, tokens);
}

function signedIn(
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  tokens: oauth.TokenEndpointResponse,
): SignedIn {
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = tokens;
  if (idToken === undefined || refreshToken === undefined) throw new Error("the provider sent no ID or refresh token");
  return {
    idToken,
    accessToken,
    async refresh() {
      const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, INSECURE);
      const next = await oauth.processRefreshTokenResponse(server, client, response);
      return signedIn(server, client, { refresh_token: refreshToken, id_token: idToken, ...next });
    },
  };
}
