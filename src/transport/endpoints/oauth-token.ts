import type { CheckedProof, CheckProof } from "../../domain/access-tokens/proof.ts";
import { type ExchangeContext, ExchangeRefused, exchangeAssertion } from "../../domain/federation/exchange.ts";
import type { Throttle } from "../../domain/leaks/throttle.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { RequestFault } from "../../domain/vocabulary/request-fault.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import type { Call } from "../../interceptors/call.ts";
import type { PlainAnswer } from "../answer/plain-answer.ts";
import { PlainHeaders } from "../answer/plain-headers.ts";
import type { Incoming } from "../request/exchange.ts";
import { ACCESS_TOKEN, readTokenRequest, TokenRequestRefused } from "./oauth-request.ts";

export interface OAuthTokenContext extends ExchangeContext {
  readonly throttle: Throttle;
  readonly checkProof: CheckProof;
}

/** Maximum bytes of a form. The longest has two tokens, and a proxy would take no header as long as one of them. */
export const FORM_BYTES_MAX = 65_536;
/** A client that waits longer than the spans of the key sets' fetches gains nothing. */
const RETRY_AFTER_S = 5;
/** Of a rule that has given the most tokens. */
const RETRY_AFTER_FULL_S = 60;

/**
 * `POST /oauth/token`: a workload exchanges the token of its own platform for one of this service, by RFC 8693 or RFC 7523. It
 * is not an RPC: any OAuth client speaks it, and its errors are OAuth's.
 */
export async function answerOAuthToken(
  ctx: OAuthTokenContext,
  req: Incoming,
  call: Call,
  body: Uint8Array,
): Promise<PlainAnswer> {
  try {
    const throttled = ctx.throttle(call.address, 1);
    if (throttled !== null) return unavailable(429, "resource_exhausted", TOO_MANY, throttled.retryAfterSeconds);
    const { isExchange, ...request } = readTokenRequest(req, call.credentials.authorization, body, ctx.tokenIssuer);
    const isBound = call.credentials.dpop.length > 0;
    const proveKey = isBound ? (jkt: string | null) => provenKey(ctx, call, jkt) : null;
    const { token, expiresInSeconds, scopes } = await exchangeAssertion(ctx, { ...request, proveKey }, call);
    const answer = {
      access_token: token,
      ...(isExchange && { issued_token_type: ACCESS_TOKEN }),
      ...{ token_type: isBound ? "DPoP" : "Bearer", expires_in: expiresInSeconds, scope: scopes.join(" ") },
    };
    return { status: 200, code: "ok", headers: headersOf(), body: JSON.stringify(answer) };
  } catch (err) {
    return refusal(err);
  }
}

/** With the header `DPoP`, the token is bound to the key of its proof (RFC 9449, 5). */
function provenKey(
  { checkProof, keyClock }: OAuthTokenContext,
  { credentials, proofTarget: target }: Call,
  jkt: string | null,
): Promise<CheckedProof> {
  const token = jkt === null ? undefined : { text: undefined, jkt };
  return checkProof(credentials.dpop, { target, now: keyClock(), token });
}

const TOO_MANY = "Too many exchanges within a minute; wait for the seconds in Retry-After.";

function refusal(err: unknown): PlainAnswer {
  if (err instanceof ExchangeRefused || err instanceof TokenRequestRefused) {
    return failed(400, "invalid_argument", err.error, err.message);
  }
  if (err instanceof Denial && err.dpopError !== undefined) {
    // The assertion is bound to another key: `invalid_token` is of resources (RFC 6750, 3.1).
    const error = err.dpopError === "invalid_token" ? "invalid_grant" : err.dpopError;
    return failed(400, "invalid_argument", error, err.message);
  }
  // A token lasts a minute at least: one may expire as soon.
  if (err instanceof RequestFault && err.reason === "too_many_tokens")
    return unavailable(429, "resource_exhausted", err.message, RETRY_AFTER_FULL_S);
  if (err instanceof StoreUnavailable) return unavailable(503, "unavailable", err.message, retryAfter(err));
  if (err instanceof Denial && err.reason === "verifier_error") {
    return unavailable(503, "unavailable", "The keys of the issuer cannot be fetched now; try again.", retryAfter(err));
  }
  throw err;
}

function retryAfter({ retryAfterMs }: { readonly retryAfterMs: number }): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1_000) || RETRY_AFTER_S);
}

function unavailable(
  status: 429 | 503,
  code: "resource_exhausted" | "unavailable",
  description: string,
  seconds: number,
): PlainAnswer {
  const answer = failed(status, code, "temporarily_unavailable", description);
  answer.headers.set("retry-after", String(seconds));
  return answer;
}

function failed(status: number, code: PlainAnswer["code"], error: string, error_description: string): PlainAnswer {
  return { status, code, headers: headersOf(), body: JSON.stringify({ error, error_description }) };
}

function headersOf(): PlainHeaders {
  return new PlainHeaders({ "content-type": "application/json", "cache-control": "no-store", pragma: "no-cache" });
}
