import { isSameAudience } from "../../domain/tokens/same-audience.ts";
import { textFault } from "../../interceptors/storable-values.ts";
import type { Incoming } from "../request/exchange.ts";
import { type Form, readForm } from "../request/form.ts";

export interface TokenRequest {
  /** By RFC 8693; else by RFC 7523. */
  readonly isExchange: boolean;
  readonly ruleId: string;
  readonly assertion: string;
  /** Undefined: all that the rule gives. */
  readonly scopes: readonly string[] | undefined;
}

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
/** What a workload's token may be called. */
const SUBJECT_TYPES = ["urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token"];
const REQUESTED_TYPES = [ACCESS_TOKEN, "urn:ietf:params:oauth:token-type:jwt"];
/** Where the token is for. A client may name several places (RFC 8693, 2.1); any other parameter stands once (RFC 6749, 3.2). */
const TARGETS = ["audience", "resource"];

/** The fault of a request: an absent or unsupported parameter (RFC 6749, 5.2; RFC 8693, 2.2.2). */
export class TokenRequestRefused extends Error {
  override readonly name = "TokenRequestRefused";
  readonly error: "invalid_request" | "invalid_client" | "unsupported_grant_type" | "invalid_target";

  constructor(error: TokenRequestRefused["error"], message: string) {
    super(message);
    this.error = error;
  }
}

/** Reads a request for a token by its form and the values of its header `Authorization`. Throws `TokenRequestRefused`. */
export function readTokenRequest(
  req: Incoming,
  authorization: readonly string[],
  body: Uint8Array,
  issuer: string,
): TokenRequest {
  const form = formOf(req, body);
  const grantType = parameter(form, "grant_type");
  if (grantType === "") throw missing("grant_type", `${EXCHANGE} or ${BEARER}`);
  if (grantType !== EXCHANGE && grantType !== BEARER) {
    throw new TokenRequestRefused("unsupported_grant_type", `grant_type must be ${EXCHANGE} or ${BEARER}.`);
  }
  const isExchange = grantType === EXCHANGE;
  const tokenName = isExchange ? "subject_token" : "assertion";
  const assertion = parameter(form, tokenName);
  if (assertion === "") throw missing(tokenName, "the token that the workload's own platform gave it");
  if (isExchange) checkTypes(form);
  const ruleId = clientOf(form, authorization);
  for (const name of TARGETS) {
    if (!(form.get(name) ?? []).every((target) => isSameAudience(target, issuer)))
      throw new TokenRequestRefused("invalid_target", `${name} must be ${issuer}, or left out.`);
  }
  // A blank one is a scope that the rule does not give.
  return { isExchange, ruleId, assertion, scopes: form.get("scope")?.[0]?.split(/ +/) };
}

function formOf(req: Incoming, body: Uint8Array): Form {
  const type = String(req.headers["content-type"] ?? "")
    .split(";", 1)[0]
    ?.trim()
    .toLowerCase();
  if (type !== "application/x-www-form-urlencoded")
    throw invalidRequest("The body must be a form: Content-Type: application/x-www-form-urlencoded.");
  const form = readForm(body, TARGETS);
  if ("problem" in form) throw invalidRequest(form.problem);
  return form;
}

/** The one value of a parameter. Empty: it is left out. */
function parameter(form: Form, name: string): string {
  return form.get(name)?.[0] ?? "";
}

function checkTypes(form: Form): void {
  const type = parameter(form, "subject_token_type");
  if (type === "") throw missing("subject_token_type", SUBJECT_TYPES.join(" or "));
  if (!SUBJECT_TYPES.includes(type)) throw invalidRequest(`subject_token_type must be ${SUBJECT_TYPES.join(" or ")}.`);
  const requested = parameter(form, "requested_token_type");
  if (requested !== "" && !REQUESTED_TYPES.includes(requested))
    throw invalidRequest(`requested_token_type must be ${ACCESS_TOKEN}, or left out.`);
  if (form.has("actor_token")) throw invalidRequest("actor_token cannot be served; leave it out.");
}

const BASIC = /^basic[ \t]+([\w+/-]+={0,2})$/i;
const CLIENT = "the id of the tenant's rule, fed_...";

/**
 * The rule, which is the client: by the form or by HTTP Basic (RFC 6749, 2.3.1). A rule has no secret, so whichever comes with its id is
 * not read: the workload's token authenticates. Any other scheme of the header is not of OAuth's clients.
 */
function clientOf(form: Form, authorization: readonly string[]): string {
  if (form.has("client_assertion"))
    throw new TokenRequestRefused(
      "invalid_client",
      `client_assertion cannot be served; send client_id, ${CLIENT}, without it.`,
    );
  const named = parameter(form, "client_id");
  const basics = authorization.filter((value) => /^basic\b/i.test(value)).map(basicClient);
  const ids = new Set([named, ...basics].filter((id) => id !== ""));
  if (ids.size > 1)
    throw invalidRequest("client_id and the header Authorization name different rules; send one of them.");
  const [id] = ids;
  if (id === undefined) throw missing("client_id", `${CLIENT}, in the form or as the user name of HTTP Basic`);
  return id;
}

/** Its parts are encoded as a form's (RFC 6749, 2.3.1). */
function basicClient(value: string): string {
  const [, encoded = ""] = BASIC.exec(value) ?? [];
  const [name = "", ...secret] = Buffer.from(encoded, "base64").toString().split(":");
  const [id = ""] = new URLSearchParams(`id=${name.replaceAll("&", "%26")}`).values();
  if (secret.length === 0 || textFault(id, "") !== undefined)
    throw invalidRequest("The header Authorization must be Basic and base64 of client_id, a colon and any secret.");
  return id.trim();
}

function missing(name: string, what: string): TokenRequestRefused {
  return invalidRequest(`${name} is required: ${what}.`);
}

function invalidRequest(message: string): TokenRequestRefused {
  return new TokenRequestRefused("invalid_request", message);
}
