import type { Interceptor } from "@connectrpc/connect";

/**
 * Answers the user's current token, without "Bearer ".
 *
 * It is asked before every attempt of every call, so that a token that was refreshed meanwhile is the one that is sent:
 * let it cache. What it throws fails the call, as the `cause` of a `ConnectError`.
 */
export type TokenSource = (options: { readonly signal: AbortSignal }) => string | Promise<string>;

/** A customer's backend: the secret key alone, for the tenant or for one of its users. */
export interface SecretKeyCredentials {
  /** `sk_...`. Never in a browser or an app: whoever reads it there has it. */
  readonly apiKey: string;
  readonly getUserToken?: undefined;
  /** Id of the user to act for, 1 to 256 printable characters. The key needs `users:impersonate`. Default: nobody. */
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

export type Credentials = SecretKeyCredentials | PublishableKeyCredentials | DashboardCredentials;

/** Throws a `TypeError` for what the types refuse too: the first call would only be told `missing_credentials`. */
export function checkCredentials({ apiKey, getUserToken, onBehalfOf }: Credentials): void {
  if (apiKey === "") throw new TypeError("apiKey is empty; give the whole key, sk_... or pk_...");
  if (apiKey === undefined && getUserToken === undefined) throw new TypeError("give apiKey, getUserToken or both");
  if (onBehalfOf !== undefined && getUserToken !== undefined) {
    throw new TypeError("onBehalfOf goes with a secret key alone; a user's token already says whose call it is");
  }
}

/** Puts the credentials on each attempt. A header that the call itself brings wins. */
export function sendCredentials({ apiKey, getUserToken, onBehalfOf }: Credentials): Interceptor {
  return (next) => async (req) => {
    const setDefault = (name: string, value: string): void => {
      if (!req.header.has(name)) req.header.set(name, value);
    };
    if (apiKey !== undefined) setDefault("X-API-Key", apiKey);
    if (onBehalfOf !== undefined) setDefault("X-On-Behalf-Of", asUtf8(onBehalfOf));
    if (getUserToken !== undefined) setDefault("Authorization", `Bearer ${await getUserToken({ signal: req.signal })}`);
    return next(req);
  };
}

/** `Headers` take one character for each byte, and none beyond U+00FF. */
function asUtf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
