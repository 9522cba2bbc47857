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
import { readForm } from "../request/form.ts";

export interface OAuthTokenContext extends ExchangeContext {
  readonly throttle: Throttle;
  readonly checkProof: CheckProof;
}

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
/** Maximum bytes of a form. The longest has two tokens, and a proxy would take no header as long as one of them. */
export const FORM_BYTES_MAX = 65_536;
/** What a workload's token may be called. */
const SUBJECT_TYPES = ["urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token"];
const REQUESTED_TYPES = [ACCESS_TOKEN, "urn:ietf:params:oauth:token-type:jwt"];
/** A client that waits longer than the spans of the key sets' fetches gains nothing. */
const RETRY_AFTER_S = 5;
/** Of a rule that has given the most tokens. */
const RETRY_AFTER_FULL_S = 60;

/** What the form lacks, or has that cannot be served (RFC 6749, 5.2; RFC 8693, 2.2.2). */
class FormRefused extends Error {
  override readonly name = "FormRefused";
  readonly error: "invalid_request" | "unsupported_grant_type" | "invalid_target";

  constructor(error: FormRefused["error"], message: string) {
    super(message);
    this.error = error;
  }
}

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
    const { isExchange, ...request } = requestIn(formOf(req, body), ctx.tokenIssuer);
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
  if (err instanceof ExchangeRefused || err instanceof FormRefused) {
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

type Form = ReadonlyMap<string, string>;

function formOf(req: Incoming, body: Uint8Array): Form {
  const type = String(req.headers["content-type"] ?? "")
    .split(";", 1)[0]
    ?.trim()
    .toLowerCase();
  if (type !== "application/x-www-form-urlencoded")
    throw new FormRefused(
      "invalid_request",
      "The body must be a form: Content-Type: application/x-www-form-urlencoded.",
    );
  const form = readForm(body);
  if ("problem" in form) throw new FormRefused("invalid_request", form.problem);
  return form;
}

function requestIn(form: Form, issuer: string) {
  const grantType = form.get("grant_type") ?? "";
  if (grantType === "") throw missing("grant_type", `${EXCHANGE} or ${BEARER}`);
  if (grantType !== EXCHANGE && grantType !== BEARER) {
    throw new FormRefused("unsupported_grant_type", `grant_type must be ${EXCHANGE} or ${BEARER}.`);
  }
  const isExchange = grantType === EXCHANGE;
  const tokenName = isExchange ? "subject_token" : "assertion";
  const assertion = form.get(tokenName) ?? "";
  if (assertion === "") throw missing(tokenName, "the token that the workload's own platform gave it");
  if (isExchange) checkTypes(form);
  const ruleId = form.get("client_id") ?? "";
  if (ruleId === "") throw missing("client_id", "the id of the tenant's rule, fed_...");
  for (const name of ["audience", "resource"]) {
    const target = form.get(name) ?? issuer;
    if (target !== issuer) throw new FormRefused("invalid_target", `${name} must be ${issuer}, or left out.`);
  }
  // A parameter without a value is one that is left out (RFC 6749, 3.2). A blank one is a scope that the rule does not give.
  const scope = form.get("scope") ?? "";
  return { isExchange, ruleId, assertion, scopes: scope === "" ? undefined : scope.trim().split(/ +/) };
}

function checkTypes(form: Form): void {
  const type = form.get("subject_token_type") ?? "";
  if (type === "") throw missing("subject_token_type", SUBJECT_TYPES.join(" or "));
  if (!SUBJECT_TYPES.includes(type))
    throw new FormRefused("invalid_request", `subject_token_type must be ${SUBJECT_TYPES.join(" or ")}.`);
  const requested = form.get("requested_token_type") ?? ACCESS_TOKEN;
  if (!REQUESTED_TYPES.includes(requested))
    throw new FormRefused("invalid_request", `requested_token_type must be ${ACCESS_TOKEN}, or left out.`);
  if (form.has("actor_token")) throw new FormRefused("invalid_request", "actor_token cannot be served; leave it out.");
}

function missing(name: string, what: string): FormRefused {
  return new FormRefused("invalid_request", `${name} is required: ${what}.`);
}
