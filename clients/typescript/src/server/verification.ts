import { create, fromJson, type JsonValue, toJsonString } from "@bufbuild/protobuf";
import { checkedBaseUrl } from "../base-url.ts";
import { VerifyRequestSchema, VerifyResponseSchema } from "../gen/latchkey/v1/auth_service_pb.ts";
import { checkOptions, namesOf } from "../known-options.ts";
import { REDIRECT, redirectOf } from "../redirect.ts";
import { checkTimeout } from "../timeout.ts";
import { untilAborted } from "../until-aborted.ts";
import { userAgent } from "../user-agent.ts";
import { ADVICE, isErrorCode, unreached } from "../wrong-host.ts";
import { scopesLackedBy, tokenUse } from "./bearer-token.ts";
import { toCaller, type VerifiedCaller } from "./caller.ts";
import { type EdgeContext, type EdgeOptions, type GuardEdge, openEdge } from "./edge.ts";
import {
  challengedFor,
  insufficientScope,
  type Refusal,
  unverifiedRefusal,
  withoutRelativeLink,
  wrongAudience,
} from "./refusal.ts";
import { checkedResource, type Resource, type ResourceOptions } from "./resource.ts";
import { allScopes } from "./scopes.ts";
import type { Question, Verdict } from "./verdict.ts";

/** Where Latchkey is, and how long an upstream waits for it. */
export interface GuardOptions {
  /** Without the API's path: `https://api.example.com`. It begins with `https://`, but on this machine. */
  readonly baseUrl: string;
  /**
   * Allows a `baseUrl` that begins with `http://` beyond this machine, such as `http://latchkey:8080` in a private network. The
   * credentials of all requests are then sent in the clear. Default: false.
   */
  readonly insecureHttp?: boolean | undefined;
  /** Longest time for one verification, its whole answer included, in ms; then the request is refused. 1 to 2,147,483,647. Default: 2,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * The platform's own scopes, those of Latchkey's SCOPES_FILE: `["reports:read"]`. Default: none.
   *
   * A guard that asks for a scope that is neither built in nor listed here throws when it is made, so a mistake shows when
   * the guarded service starts, not at its first request. List scopes here that are built into a Latchkey newer than this
   * package, too.
   */
  readonly ownScopes?: readonly string[] | undefined;
  /**
   * The client's IP address, for keys with `allowed_ips` and for Latchkey's log: of a web request and what the framework gives
   * beside it. Give back what your platform says of the connection, such as `info.remoteAddr.hostname` in Deno or
   * `request.headers.get("CF-Connecting-IP")` in Cloudflare's workers, never a header that clients can write. Default: not
   * known, so that Latchkey sees the guarded service's own address. Handlers of `node` read it from their socket, and do not
   * call this.
   */
  readonly clientAddress?: ((request: Request, ...args: unknown[]) => string | null | undefined) | undefined;
  /**
   * Makes the guarded service an OAuth 2.0 resource: the guard serves its metadata, names that in its challenges, and refuses
   * tokens whose `aud` is not the resource's URL. Default: not a resource, and only Latchkey decides about `aud`.
   */
  readonly resource?: ResourceOptions | undefined;
  /**
   * Decides on calls with keys in this process, as the service would, under a lease: a key that was revoked is denied from the
   * answer on. All other calls, and all of them without a lease, are put to the service. Only for Node.js 22 or later. Default:
   * every call is put to it.
   */
  readonly edge?: EdgeOptions | undefined;
  /** Makes the requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Called with the reason why credentials could not be checked, for a log; the caller only gets 503. Called, too, when the guard's
   * edge cannot decide, once for each reason. It must not throw. Default: the first reason goes to `console.error`, and no later one.
   */
  readonly onError?: ((err: unknown) => void) | undefined;
}

/** Gets what Latchkey checks of a request, and headers with the address that it comes from. */
type Ask = (checked: Headers, forwarding: Headers, question: Question) => Promise<Verdict>;

export interface Verify extends Ask {
  /** Gets the reason why a request was refused that no verdict refused. */
  readonly report: (err: unknown) => void;
  /** The guarded service as an OAuth resource. */
  readonly resource: Resource | undefined;
  /** Undefined: not a resource. */
  readonly edge: GuardEdge | undefined;
}

const OPTIONS = namesOf<GuardOptions>({
  baseUrl: true,
  insecureHttp: true,
  timeoutMs: true,
  ownScopes: true,
  clientAddress: true,
  resource: true,
  edge: true,
  fetch: true,
  onError: true,
});
const TIMEOUT_MS = 2_000;
/** Far above any answer of Latchkey's; what exceeds it is some other server's page. */
const ANSWER_BYTES_MAX = 65_536;
/** By the id of its request, Latchkey's `requests/explain` finds the decision. */
const ANSWER_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "X-Request-Id",
];
const DENIAL_HEADERS = [...ANSWER_HEADERS, "Content-Type", "WWW-Authenticate"];
/** The headers of an answer that are passed on. */
const PICKS = {
  answerHeaders: (headers: Headers) => pick(headers, ANSWER_HEADERS),
  denialHeaders: (headers: Headers) => pick(headers, DENIAL_HEADERS),
};
/** Statuses by which Latchkey refuses credentials. Its own faults and those of servers between are not a verdict. */
const DENIAL_STATUSES = [400, 401, 403, 429];

/**
 * Asks Latchkey about a request's credentials. Whatever goes wrong is a refusal with 503. Throws a `TypeError` for options
 * that no call could be made with.
 */
export function createVerify(options: GuardOptions): Verify {
  checkOptions(options, OPTIONS);
  const baseUrl = checkedBaseUrl(options.baseUrl, options.insecureHttp);
  const url = `${baseUrl}/api/v1/auth/verify`;
  const { timeoutMs = TIMEOUT_MS } = options;
  checkTimeout(timeoutMs, 1);
  const resource = checkedResource(options.resource, options.insecureHttp, allScopes(options.ownScopes));
  const name = userAgent();
  const report = options.onError ?? logFirst();
  const opened = options.edge === undefined ? undefined : openEdge(options.edge, edgeContext(options, baseUrl));
  const ask = async (checked: Headers, forwarding: Headers, question: Question): Promise<Verdict> => {
    const decided = await opened?.decide(checked, forwarding, question);
    if (decided !== undefined) return decided;
    const { scopes, cost, tenantOptional = false } = question;
    const headers = new Headers([...checked, ...forwarding]);
    headers.set("Content-Type", "application/json");
    if (name !== undefined) headers.set("User-Agent", name);
    const request = create(VerifyRequestSchema, {
      scopes: [...scopes],
      tenantOptional,
      ...(cost !== undefined && { cost }),
    });
    const body = toJsonString(VerifyRequestSchema, request);
    const signal = AbortSignal.timeout(timeoutMs);
    const call = options.fetch ?? globalThis.fetch;
    try {
      return await untilAborted(signal, async () => {
        const response = await call(url, { method: "POST", headers, body, signal, redirect: REDIRECT }).catch(
          (cause) => {
            throw signal.aborted ? cause : new Error(unreached(new URL(url), cause), { cause });
          },
        );
        const text = await readText(response);
        const redirect = redirectOf(response, url);
        if (redirect !== undefined)
          throw new Error(`the answer is not a verdict: it is ${redirect}; none is followed; ${ADVICE}`);
        const verdict = toVerdict(response.status, response.headers, text, tenantOptional);
        // Of credentials, only `X-On-Behalf-Of` is answered 400. All else is the guard's own question, such as a scope of
        // `ownScopes` that Latchkey does not have.
        if (response.status === 400 && !headers.has("X-On-Behalf-Of"))
          throw new Error(`the guard's question is wrong: ${text}`);
        return verdict;
      });
    } catch (err) {
      // No answer, a late one, or one that is not Latchkey's: the caller gets the same.
      report(err);
      return { kind: "refused", ...unverifiedRefusal() };
    }
  };
  const verify = resource === undefined ? ask : verifyFor(resource, ask);
  return Object.assign(verify, { report, resource, edge: opened?.edge });
}

/** What a resource adds: a token must be for it and have its scopes, and its challenges say where its metadata is. */
function verifyFor(resource: Resource, ask: Ask): Ask {
  return async (checked, forwarding, question) => {
    const refused = (refusal: Refusal): Verdict => ({
      kind: "refused",
      ...challengedFor(refusal, resource, question.scopes, checked),
    });
    const use = tokenUse(checked, resource);
    // Latchkey would accept any audience of its configuration. The request spends nothing.
    if (use === "for_other") return refused(wrongAudience());
    const verdict = await ask(checked, forwarding, question);
    if (verdict.kind === "refused") return refused(verdict);
    // Admitted by a token that only Latchkey can read, or that was not looked at.
    if (use === "unknown" || (use === "none" && verdict.caller.kind !== "secret_key")) return refused(wrongAudience());
    if (use !== "for_resource") return verdict;
    const [lacked] = scopesLackedBy(checked, resource, question.scopes);
    if (lacked === undefined) return verdict;
    const remedy = "have the client ask the user for it";
    return refused(insufficientScope(`This token was not granted the scope ${lacked}; ${remedy}.`));
  };
}

/** It has a line of its own in the log: what it reports is followed by an answer of the service. */
function edgeContext({ insecureHttp, onError }: GuardOptions, baseUrl: string): EdgeContext {
  return { baseUrl, insecureHttp, report: onError ?? logFirst("an edge reported a problem"), ...PICKS };
}

/** Without a line in a log, a guard that can admit no caller, as with a wrong `baseUrl`, would be a riddle. */
function logFirst(what = "credentials could not be checked"): (err: unknown) => void {
  let isFirst = true;
  return (err) => {
    if (!isFirst) return;
    isFirst = false;
    // biome-ignore lint/suspicious/noConsole: a library has no log of its own
    console.error(`@latchkey/client: ${what}. Only the first reason is logged; give onError.`, err);
  };
}

/** Throws for an answer that is not a decision of Latchkey's. */
function toVerdict(status: number, headers: Headers, text: string, tenantOptional: boolean): Verdict {
  const answer = parsed(text, status);
  if (status === 200) {
    const caller = callerIn(answer, tenantOptional);
    if (caller === undefined)
      throw new Error(`the answer is not a verdict: it names no caller that is known here; ${ADVICE}`);
    return { kind: "admitted", caller, headers: pick(headers, ANSWER_HEADERS) };
  }
  if (!isDenial(status, answer)) throw new Error(`the answer is not a verdict: its status is ${status}; ${ADVICE}`);
  return { kind: "refused", status, headers: pick(headers, DENIAL_HEADERS), body: withoutRelativeLink(text) };
}

function callerIn(answer: JsonValue, tenantOptional: boolean): VerifiedCaller | undefined {
  try {
    return toCaller(fromJson(VerifyResponseSchema, answer, { ignoreUnknownFields: true }), tenantOptional);
  } catch {
    return undefined;
  }
}

function parsed(text: string, status: number): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the answer is not a verdict: its status is ${status}, and it is not JSON; ${ADVICE}`);
  }
}

function isDenial(status: number, body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  if ("denial_reason" in body) return typeof body.denial_reason === "string" && status >= 400;
  return DENIAL_STATUSES.includes(status) && "code" in body && isErrorCode(body.code);
}

function pick(headers: Headers, names: readonly string[]): Headers {
  const picked = new Headers();
  for (const name of names) {
    const value = headers.get(name);
    if (value !== null) picked.set(name, value);
  }
  return picked;
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the answer is not a verdict: it is too long; ${ADVICE}`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
