import { scopesGrantedTo } from "./bearer-token.ts";
import type { Resource } from "./resource.ts";

/** An answer to give in place of the handler's. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const REALM = 'Bearer realm="latchkey"';
const OTHER_AUDIENCE =
  "The user token's aud claim does not name this resource; have the client ask for a token with this resource's URL as its resource parameter.";

/** The answer to a caller whose credentials were not checked. */
export function unverifiedRefusal(): Refusal {
  const message = "The credentials could not be checked just now: they are neither accepted nor refused. Retry.";
  const body = JSON.stringify({ code: "unavailable", message, reason: "verifier_error" });
  return { status: 503, headers: new Headers({ "Content-Type": "application/json" }), body };
}

/** The answer to a token for another resource. */
export function wrongAudience(): Refusal {
  const refusal = denied(401, "unauthenticated", "jwt_invalid_audience", OTHER_AUDIENCE);
  const description = OTHER_AUDIENCE.slice(0, OTHER_AUDIENCE.indexOf(";"));
  refusal.headers.set("WWW-Authenticate", `${REALM}, error="invalid_token", error_description="${description}"`);
  return refusal;
}

/** The answer to a caller who lacks a scope, or whose kind may not call. */
export function insufficientScope(message: string): Refusal {
  const refusal = denied(403, "permission_denied", "insufficient_scope", message);
  refusal.headers.set("WWW-Authenticate", 'Bearer error="insufficient_scope"');
  return refusal;
}

/**
 * Adds what clients of the resource need to a challenge: where its metadata is, and all scopes of the operation, so that
 * one more authorization is enough (RFC 9728, 5.1; RFC 6750, 3). Where the request's token lacks one, those that it has come with
 * them: clients ask for exactly these, and a token without the earlier ones would lack them at the next call.
 */
export function challengedFor(
  refusal: Refusal,
  resource: Resource,
  scopes: readonly string[],
  checked: Headers,
): Refusal {
  const given = refusal.headers.get("WWW-Authenticate") ?? (refusal.status === 401 ? REALM : undefined);
  if (given === undefined) return refusal;
  const headers = new Headers(refusal.headers);
  const named = refusal.status === 403 ? new Set([...scopes, ...scopesGrantedTo(checked)]) : scopes;
  const scope = scopes.length > 0 ? `, scope="${[...named].join(" ")}"` : "";
  const challenge = scope === "" ? given : given.replace(/, scope="[^"]*"/, "");
  headers.set("WWW-Authenticate", `${challenge}${scope}, resource_metadata="${resource.metadataUrl}"`);
  return { ...refusal, headers };
}

/** A body of Latchkey's for a caller on another host, where a relative link leads nowhere. */
export function withoutRelativeLink(body: string): string {
  return body.replace(/ See \/docs\/errors#\w+(?=")/, "");
}

/** In the form of Latchkey's own denials. */
function denied(status: number, code: string, reason: string, message: string): Refusal {
  const body = JSON.stringify({ code, message, reason, denial_reason: reason });
  return { status, headers: new Headers({ "Content-Type": "application/json" }), body };
}
