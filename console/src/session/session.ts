import * as oauth from "oauth4webapi";
import type { Settings } from "../settings.ts";
import { httpOf } from "./provider-http.ts";

/** A signed-in user. Its tokens are only in this closure: no storage, no global variable and no attribute has them. */
export interface Session {
  readonly user: User;
  /** A token for the next call, renewed first if it is about to expire. Rejects with `SessionEnded`. */
  token(): Promise<string>;
  /** The latest, for the provider that has issued it. */
  idToken(): string;
  /** Gets new tokens, which have the tenant and roles of now. Rejects with `SessionEnded`. */
  renew(): Promise<void>;
  /** Goes on with the tokens of another sign-in. Throws `OtherUser` if they are of another user. */
  resume(tokens: oauth.TokenEndpointResponse): void;
}

export interface User {
  readonly id: string;
  readonly issuer: string;
  readonly email: string | undefined;
  /** To show: name, address or id. */
  readonly label: string;
}

/** The provider gives no new tokens: the user has to sign in again. */
export class SessionEnded extends Error {
  override readonly name = "SessionEnded";
}

/** A sign-in that is of another user than the page. */
class OtherUser extends Error {
  override readonly name = "OtherUser";
}

/** Seconds before its expiry from which a token is renewed first. */
const MARGIN_SECONDS = 30;

/** Throws where the provider did not send the token that calls need. */
export function openSession(settings: Settings, first: oauth.TokenEndpointResponse): Session {
  const client: oauth.Client = { client_id: settings.client_id };
  let tokens = withExpiry(settings, first);
  let refreshToken = first.refresh_token;
  let renewing: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    if (refreshToken === undefined) throw new SessionEnded("The identity provider gave no refresh token.");
    const server = settings.provider;
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, httpOf(settings));
    const next = await oauth.processRefreshTokenResponse(server, client, response).catch((err: unknown) => {
      throw err instanceof oauth.ResponseBodyError ? new SessionEnded(err.error_description ?? err.error) : err;
    });
    tokens = withExpiry(settings, { id_token: tokens.idToken, ...next });
    refreshToken = next.refresh_token ?? refreshToken;
  }

  // Calls at the same time share one renewal: many providers accept a refresh token once.
  const renew = (): Promise<void> => {
    renewing ??= refresh().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  const user = userOf(first);
  return {
    user,
    renew,
    idToken: () => tokens.idToken,
    resume(next) {
      const { id, issuer, label } = userOf(next);
      if (id !== user.id || issuer !== user.issuer)
        throw new OtherUser(`You signed in as ${label}, and this page is of ${user.label}.`);
      tokens = withExpiry(settings, next);
      refreshToken = next.refresh_token;
    },
    async token() {
      if (tokens.expiresAt - MARGIN_SECONDS <= Date.now() / 1_000) await renew();
      return tokens.bearer;
    },
  };
}

interface Tokens {
  readonly bearer: string;
  readonly idToken: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

function withExpiry(settings: Settings, response: oauth.TokenEndpointResponse): Tokens {
  const { id_token: idToken, access_token: accessToken, expires_in: seconds } = response;
  if (idToken === undefined) throw new SessionEnded("The identity provider sent no ID token.");
  if (settings.token === "access_token")
    return { bearer: accessToken, idToken, expiresAt: Date.now() / 1_000 + (seconds ?? 300) };
  return { bearer: idToken, idToken, expiresAt: expiryOf(idToken) };
}

/** Reads the `exp` of a token that the protocol's library has checked. */
function expiryOf(idToken: string): number {
  const [, payload = ""] = idToken.split(".");
  return Number(JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))).exp);
}

function userOf(response: oauth.TokenEndpointResponse): User {
  const claims = oauth.getValidatedIdTokenClaims(response);
  if (claims === undefined) throw new SessionEnded("The identity provider sent no ID token.");
  const email = typeof claims.email === "string" ? claims.email : undefined;
  const name = typeof claims.name === "string" ? claims.name : undefined;
  return { id: claims.sub, issuer: claims.iss, email, label: name ?? email ?? claims.sub };
}
