import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { isDenial } from "./denial.ts";
import { checkFederation, type Exchange, type Federation, federatedTokens } from "./federation.ts";
import { untilAborted } from "./until-aborted.ts";

/**
 * Answers the user's current token, without "Bearer ".
 *
 * It is asked before every attempt of every call that brings no `Authorization` of its own, so that a token that was
 * refreshed meanwhile is the one that is sent: let it cache. What it throws fails the call, as the `cause` of a
 * `ConnectError`; so does an answer that is not a token, with code `unauthenticated`.
 *
 * The call ends by its timeout or its signal, whether or not the token came. `signal` aborts when that one call ends: do
 * not end by it what other calls share.
 *
 * `refresh`: the token before was denied as expired (`jwt_expired`) or revoked (`token_revoked`), so return a new one, not a cached one. All calls that
 * were denied with that token share one such request, whose signal is its own and aborts after a minute. Each call is then
 * made once more; with the same token it is not, and fails as it was denied.
 */
export type TokenSource = (options: TokenOptions) => string | Promise<string>;

export interface TokenOptions {
  readonly signal: AbortSignal;
  readonly refresh: boolean;
}

/** A customer's backend: only the secret key, for the tenant or for one of its users. */
export interface SecretKeyCredentials {
  /** `sk_...`. Never in a browser or an app, whose users can read it. */
  readonly apiKey: string;
  readonly getUserToken?: undefined;
  /** Id of the user to act for, 1 to 256 printable characters. The key needs `users:impersonate`. Default: no user. */
  readonly onBehalfOf?: string | undefined;
}

/** A client app: the publishable key, which is public, together with its own user's token. */
export interface PublishableKeyCredentials {
  /** `pk_...`. */
  readonly apiKey: string;
  /** Token of the app's user, from the provider that the key is configured with. */
  readonly getUserToken: TokenSource;
  readonly onBehalfOf?: undefined;
}

/** A dashboard user: a token of the platform's own identity provider, alone. */
export interface DashboardCredentials {
  readonly apiKey?: undefined;
  readonly getUserToken: TokenSource;
  readonly onBehalfOf?: undefined;
}

/** A token of Latchkey's own, which stands for a secret key with less: one that `tokens.deriveToken` returned. */
export interface AccessTokenCredentials {
  readonly apiKey?: undefined;
  readonly getUserToken?: undefined;
  /** The token, or what answers the current one, as `getUserToken` does. */
  readonly accessToken: string | TokenSource;
  readonly onBehalfOf?: string | undefined;
}

/** A workload without any stored secret, such as a CI job, by the token that its own platform gives it. */
export interface FederationCredentials {
  readonly apiKey?: undefined;
  readonly getUserToken?: undefined;
  readonly federation: Federation;
  readonly onBehalfOf?: string | undefined;
}

export type Credentials =
  | (SecretKeyCredentials & NoTokens)
  | (PublishableKeyCredentials & NoTokens)
  | (DashboardCredentials & NoTokens)
  | (AccessTokenCredentials & { readonly federation?: undefined })
  | (FederationCredentials & { readonly accessToken?: undefined });

interface NoTokens {
  readonly accessToken?: undefined;
  readonly federation?: undefined;
}

/** The headers of each attempt. */
interface CheckedCredentials {
  readonly apiKey: string | undefined;
  readonly getToken: TokenSource | undefined;
  readonly onBehalfOf: string | undefined;
}

const PUBLISHABLE = "pk_";
/** Longest time for a token in place of an expired one, which no call's own signal ends. */
const REFRESH_MS = 60_000;
/** Characters of a key or a token. Others a header cannot carry as they are, and who refuses them repeats the value. */
const SECRET = /^[\x21-\x7e]+$/;
/** No controls, halves of surrogate pairs or commas. The service is stricter, by tables of Unicode that may be newer. */
const USER_ID = /^[^\p{Cc}\p{Cs},]{1,256}$/u;

/**
 * The credentials, without the spaces and line ends that files and shells leave around them. Throws a `TypeError` for what
 * cannot work: the first call would only be denied with `missing_credentials`. No message repeats a value.
 */
export function checkedCredentials(credentials: Credentials, exchange: Exchange): CheckedCredentials {
  const { apiKey, getUserToken, accessToken, federation, onBehalfOf } = credentials;
  if (accessToken !== undefined || federation !== undefined) {
    if (apiKey !== undefined || getUserToken !== undefined || (accessToken !== undefined && federation !== undefined)) {
      throw new TypeError("accessToken and federation exclude other credentials: give only one of them");
    }
    return {
      apiKey: undefined,
      getToken: tokensOf(credentials, exchange),
      onBehalfOf: onBehalfOf === undefined ? undefined : checkedUserId(onBehalfOf),
    };
  }
  if (apiKey === undefined && getUserToken === undefined) {
    throw new TypeError("give apiKey, getUserToken or both, accessToken, or federation");
  }
  if (getUserToken !== undefined && typeof getUserToken !== "function") {
    throw new TypeError("getUserToken must be a function that answers the user's token");
  }
  if (onBehalfOf !== undefined && getUserToken !== undefined) {
    throw new TypeError("onBehalfOf needs a secret key; a user's token already names the user");
  }
  const key = apiKey === undefined ? undefined : checkedKey(apiKey);
  if (key?.startsWith(PUBLISHABLE) && getUserToken === undefined) {
    throw new TypeError("a publishable key (pk_...) needs its user's token beside it; give getUserToken, too");
  }
  return {
    apiKey: key,
    getToken: getUserToken,
    onBehalfOf: onBehalfOf === undefined ? undefined : checkedUserId(onBehalfOf),
  };
}

function tokensOf({ accessToken, federation }: Credentials, exchange: Exchange): TokenSource {
  if (federation !== undefined) {
    checkFederation(federation);
    return federatedTokens(federation, exchange);
  }
  if (typeof accessToken === "function") return accessToken;
  const token = trimmed(accessToken);
  if (!SECRET.test(token)) throw new TypeError("accessToken must be only the token, or a function that returns it");
  return () => token;
}

function checkedKey(apiKey: string): string {
  const key = trimmed(apiKey);
  if (key === "") throw new TypeError("apiKey is empty; give the whole key, sk_... or pk_...");
  if (!SECRET.test(key)) {
    throw new TypeError("apiKey has a space, a line end or another character that keys cannot have; give only the key");
  }
  return key;
}

function checkedUserId(onBehalfOf: string): string {
  const userId = trimmed(onBehalfOf);
  if (!USER_ID.test(userId)) {
    throw new TypeError("onBehalfOf must be one user id: 1 to 256 printable characters, without a comma");
  }
  return userId;
}

/** In plain JavaScript a token may turn out to be anything. */
function checkedToken(answered: string): string {
  const token = trimmed(answered);
  if (token === "") throw new ConnectError("getUserToken or accessToken answered no token", Code.Unauthenticated);
  if (!SECRET.test(token)) {
    throw new ConnectError(
      'getUserToken and accessToken must return only the token, without "Bearer ", spaces or line ends',
      Code.Unauthenticated,
    );
  }
  return token;
}

function trimmed(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** Puts the credentials on each attempt. A header that the call itself brings wins. */
export function sendCredentials({ apiKey, getToken, onBehalfOf }: CheckedCredentials): Interceptor {
  const refreshed = getToken && refreshOnce(getToken);
  return (next) => async (req) => {
    const { header, signal } = req;
    if (apiKey !== undefined && !header.has("X-API-Key")) header.set("X-API-Key", apiKey);
    if (onBehalfOf !== undefined && !header.has("X-On-Behalf-Of")) header.set("X-On-Behalf-Of", asUtf8(onBehalfOf));
    if (getToken === undefined || refreshed === undefined || header.has("Authorization")) return next(req);
    const send = (token: string) => {
      // A token that comes after the call has ended must send nothing, though a `fetch` may overlook its signal.
      signal.throwIfAborted();
      header.set("Authorization", `Bearer ${token}`);
      return next(req);
    };
    const token = checkedToken(await getToken({ signal, refresh: false }));
    try {
      return await send(token);
    } catch (err) {
      if (!isDenial(err, "jwt_expired", "token_revoked")) throw err;
      const newer = await refreshed(token);
      if (newer === token) throw err;
      return await send(newer);
    }
  };
}

/** Returns the token in place of an expired one: asked for once, however many calls were denied with that one. */
function refreshOnce(getToken: TokenSource): (expired: string) => Promise<string> {
  let latest: { readonly expired: string; readonly newer: Promise<string> } | undefined;
  return (expired) => {
    if (latest?.expired === expired) return latest.newer;
    const signal = AbortSignal.timeout(REFRESH_MS);
    const newer = untilAborted(signal, async () => checkedToken(await getToken({ signal, refresh: true })));
    const asked = { expired, newer };
    latest = asked;
    // The next call that is denied asks again.
    newer.catch(() => {
      if (latest === asked) latest = undefined;
    });
    return newer;
  };
}

/** `Headers` take one character for each byte, and none beyond U+00FF. */
function asUtf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
