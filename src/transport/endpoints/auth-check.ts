import { ConnectError } from "@connectrpc/connect";
import { sentToken } from "../../domain/access/credentials.ts";
import { actingForOf, keyOf, tokenOf } from "../../domain/access/principal.ts";
import { type ProtectedResource, scopesToAskFor } from "../../domain/access/protected-resource.ts";
import type { Metadata } from "../../domain/credentials/metadata.ts";
import { withoutRelativePage } from "../../domain/vocabulary/denial.ts";
import { invalid, quotable, RequestFault } from "../../domain/vocabulary/request-fault.ts";
import type { Call, Challenge, CostReader } from "../../interceptors/call.ts";
import type { CheckCaller, VerifiedCaller } from "../../interceptors/gate/check-caller.ts";
import { failedAnswer } from "../answer/failed-answer.ts";
import type { PlainAnswer } from "../answer/plain-answer.ts";
import { PlainHeaders } from "../answer/plain-headers.ts";
import type { ClientAddress } from "../request/client-address.ts";
import { MUST_BE_COST, parseCost } from "../request/cost.ts";
import type { Incoming } from "../request/exchange.ts";
import { forwardedTarget } from "../request/forwarded-target.ts";

/** Its procedure in logs and traces. It is not an RPC. */
export const AUTH_CHECK = "auth/check";
export const AUTH_CHECK_PATH = `/${AUTH_CHECK}`;

/** As many as Verify takes. */
export const SCOPES_MAX = 64;
/** What a header can hold. */
const SCOPE = /^[\w:-]{1,127}$/;

/**
 * `/auth/check?scope=plans:read`, for reverse proxies: 200 without a body and with `X-Auth-*` headers, or the denial.
 *
 * It accepts any method, since some proxies forward the method of the original request. A 200 always has all `X-Auth-*`
 * headers of a caller, possibly empty, so that a proxy that copies them replaces what its client sent.
 */
export function answerAuthCheck(req: Incoming, call: Call, ctx: AuthCheckContext): Promise<PlainAnswer> {
  // Anyone else could choose for which request a proof counts.
  if (call.credentials.dpop.length > 0)
    call.proofTarget = ctx.clientAddress.isFromProxy(req) ? forwardedTarget(req.rawHeaders) : undefined;
  return answerQuestion(queryOf(req.url ?? ""), "query", call, ctx);
}

export interface QuestionContext {
  readonly check: CheckCaller;
  /** The upstream of the proxy, as a resource of OAuth. Undefined: no resource. */
  readonly resource: ProtectedResource | undefined;
}

export interface AuthCheckContext extends QuestionContext {
  readonly clientAddress: Pick<ClientAddress, "isFromProxy">;
}

/** The answer to what a proxy asks of a call: its parameters `scope` and `cost`. `place` is where they stand, for messages. */
export async function answerQuestion(
  question: URLSearchParams,
  place: string,
  call: Call,
  { check, resource }: QuestionContext,
): Promise<PlainAnswer> {
  const headers = new PlainHeaders();
  headers.set("cache-control", "no-store");
  try {
    call.costReader = new QuestionCost(question);
    if (resource !== undefined) call.challenge = challengeFor(resource, question);
    setCallerHeaders(headers, await check(call, () => scopesIn(question, place)));
    return { status: 200, code: "ok", headers, body: "" };
  } catch (err) {
    return denied(forProxy(ConnectError.from(err)), call);
  }
}

function setCallerHeaders(headers: PlainHeaders, { principal, userId }: VerifiedCaller): void {
  const key = keyOf(principal);
  headers.set("x-auth-caller", principal.kind);
  headers.set("x-auth-tenant-id", headerSafe(principal.tenantId ?? ""));
  headers.set("x-auth-key-id", key?.keyId ?? "");
  headers.set("x-auth-user-id", headerSafe(userId ?? ""));
  headers.set("x-auth-acting-for", headerSafe(actingForOf(principal) ?? ""));
  headers.set("x-auth-token-id", tokenOf(principal)?.tokenId ?? "");
  headers.set("x-auth-permissions", principal.rights.scopes.join(" "));
  headers.set("x-auth-external-id", headerSafe(key?.externalId ?? ""));
  headers.set("x-auth-metadata", encodedMetadata(key?.metadata ?? null));
}

/** A header holds no JSON of any text. */
function encodedMetadata(metadata: Metadata | null): string {
  return metadata === null ? "" : Buffer.from(JSON.stringify(metadata)).toString("base64url");
}

/** In the order of the question, which may be a wrong one. */
function challengeFor({ metadataUrl }: ProtectedResource, question: URLSearchParams): Challenge {
  const scopes = question.getAll("scope").slice(0, SCOPES_MAX);
  return { metadataUrl, scopes: scopes.filter((scope) => SCOPE.test(scope)) };
}

class QuestionCost implements CostReader {
  readonly #question: URLSearchParams;

  constructor(question: URLSearchParams) {
    this.#question = question;
  }

  readCost(): number {
    return costIn(this.#question) ?? 1;
  }
}

/** An error as the client of a proxy gets it, on the proxy's host. */
function forProxy(err: ConnectError): ConnectError {
  const relayed = new ConnectError(withoutRelativePage(err.rawMessage), err.code, err.metadata);
  relayed.details.push(...err.details);
  return relayed;
}

/** The denial, with its body also in a header for proxies that cannot pass on a body. */
function denied(err: ConnectError, call: Call): PlainAnswer {
  const answer = failedAnswer(err, call);
  const { headers } = answer;
  keepGrantedScopes(call);
  headers.set("cache-control", "no-store");
  headers.set("x-auth-denial-reason", call.denial?.reason ?? "");
  headers.set("x-auth-denial", withoutDetails(answer.body));
  return answer;
}

/** A client asks for the scopes of a challenge and for no others. A request with a key counts on no scope of a token. */
function keepGrantedScopes(call: Call): void {
  const { challenge, credentials, denial } = call;
  if (challenge === undefined || challenge.scopes.length === 0 || denial?.reason !== "insufficient_scope") return;
  if (credentials.apiKey.length > 0) return;
  const scopes = scopesToAskFor(challenge.scopes, sentToken(credentials.authorization[0] ?? "") ?? "");
  call.challenge = { ...challenge, scopes };
}

/** The body on one line of ASCII. Without `details`, which are for generated clients that receive the answer itself. */
function withoutDetails(body: string): string {
  const { details: _, ...denial } = JSON.parse(body);
  return JSON.stringify(denial).replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * What the proxy asks. The text after `path=` is the URL of the original request, for proxies that can only append it. Its
 * client controls it, so it is ignored.
 */
function queryOf(url: string): URLSearchParams {
  const query = url.split("?").slice(1).join("?");
  const [asked = ""] = query.split(/(?:^|&)path=/, 1);
  return new URLSearchParams(asked);
}

/** The cost. Undefined: absent, or wrong, which `scopesIn` rejects. */
function costIn(question: URLSearchParams): number | undefined {
  const [cost = "", another] = question.getAll("cost");
  return another === undefined ? parseCost(cost) : undefined;
}

/**
 * The values of `scope`. Rejects a wrong cost and any other parameter: `?scopes=` would otherwise require no scope.
 */
function scopesIn(question: URLSearchParams, place: string): string[] {
  for (const name of question.keys()) {
    if (name === "scope" || name === "cost") continue;
    const unknown = `has the unknown parameter "${quotable(name)}"`;
    const known = `it takes scope=domain:action, once or more, cost=, once${place === "query" ? ", and at its end path=" : ""}`;
    throw new RequestFault("unknown_member", `${place}: ${unknown}; ${known}`);
  }
  if (question.has("cost") && costIn(question) === undefined) throw invalid("cost", `${MUST_BE_COST}, once`);
  const scopes = question.getAll("scope");
  if (scopes.length > SCOPES_MAX) throw invalid("scope", `must have at most ${SCOPES_MAX} values`);
  return scopes;
}

/** Percent-encodes, as UTF-8, the percent sign and everything but visible ASCII, as in a URL. */
function headerSafe(text: string): string {
  return text.replace(/[^\x21-\x24\x26-\x7e]+/gu, (part) =>
    Array.from(Buffer.from(part), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}
