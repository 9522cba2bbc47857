import * as oauth from "oauth4webapi";
import type { Settings } from "../settings.ts";
import { httpOf } from "./provider-http.ts";

/** Where the provider leads back to. */
export const CALLBACK = "/console/callback";

/** The values of one sign-in by authorization code with PKCE. Of no use to any other. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** `mark`: how the state begins, for who reads it at the callback. */
export function newAttempt(mark = ""): Attempt {
  return {
    state: mark + oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
}

/** Where the provider signs a user in for this attempt. */
export async function authorizationUrl(
  settings: Settings,
  { state, nonce, verifier }: Attempt,
  more: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const url = new URL(settings.provider.authorization_endpoint);
  const parameters = {
    ...settings.parameters,
    ...more,
    response_type: "code",
    client_id: settings.client_id,
    redirect_uri: location.origin + CALLBACK,
    scope: settings.scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** The tokens for the code in the address that the provider led back to. Rejects if it is not of this attempt. */
export async function exchange(
  settings: Settings,
  { state, nonce, verifier }: Attempt,
  callback: URL,
): Promise<oauth.TokenEndpointResponse> {
  const client: oauth.Client = { client_id: settings.client_id };
  const server = settings.provider;
  const parameters = oauth.validateAuthResponse(server, client, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    location.origin + CALLBACK,
    verifier,
    httpOf(settings),
  );
  return oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
}

/** What the provider, or the library that checks it, says. */
export function problemOf(err: unknown): string {
  if (err instanceof oauth.AuthorizationResponseError || err instanceof oauth.ResponseBodyError)
    return err.error_description ?? err.error;
  return err instanceof Error ? err.message : String(err);
}
