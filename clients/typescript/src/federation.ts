import { Code, ConnectError } from "@connectrpc/connect";
import type { TokenSource } from "./credentials.ts";
import { checkOptions, namesOf } from "./known-options.ts";
import { isObject } from "./plain-object.ts";
import { REDIRECT, redirectOf } from "./redirect.ts";
import { retryAfterMs } from "./retry-after.ts";
import { untilAborted } from "./until-aborted.ts";
import type { ScopeName } from "./vocabulary.ts";
import { ADVICE, isErrorCode, PROXY_STATUSES } from "./wrong-host.ts";

/** How a workload without any stored secret gets its tokens: by the token that its own platform gives it. */
export interface Federation {
  /** The tenant's rule for this workload, `fed_...`. */
  readonly rule: string;
  /**
   * Answers the workload's token from its own platform, such as a CI job's OIDC token. It is asked before each exchange, and must
   * answer one that was not exchanged before. What it throws fails the calls that wait for the exchange.
   */
  readonly getAssertion: (options: { readonly signal: AbortSignal }) => string | Promise<string>;
  /** Scopes of the tokens, among those of the rule. Default: all of them. */
  readonly scopes?: readonly ScopeName[] | undefined;
}

/** Where tokens are exchanged, and how. */
export interface Exchange {
  readonly baseUrl: string;
  readonly fetch: typeof fetch | undefined;
  /** The time in ms since 1970. Default: the host's. */
  readonly now?: () => number;
}

interface Held {
  readonly token: string;
  readonly renewMs: number;
  readonly endMs: number;
}

const OPTIONS = namesOf<Federation>({ rule: true, getAssertion: true, scopes: true });
/** A visible text without spaces. */
const SCOPE = /^[\x21-\x7e]+$/;
const RULE = /^fed_[0-9a-f]{32}$/;
const EXCHANGE_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";
/** Part of a token's life after which the next call has it renewed, without waiting. */
const RENEW_AT = 2 / 3;
/** A token that is as near to its end may arrive too late. */
const MARGIN_MS = 5_000;
/** Longest time for one exchange, with the time for the assertion. */
const EXCHANGE_MS = 60_000;
/** Pause after an exchange that failed; it doubles up to the most. */
const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 60_000;

/** Throws a `TypeError` for what no exchange could be made with. */
export function checkFederation(federation: Federation): void {
  if (!isObject(federation)) throw new TypeError("federation must be an object with rule and getAssertion");
  checkOptions(federation, OPTIONS, "federation");
  const { rule, getAssertion, scopes } = federation;
  if (typeof rule !== "string" || !RULE.test(rule))
    throw new TypeError("federation.rule must be the id of a rule, fed_...");
  if (typeof getAssertion !== "function") {
    throw new TypeError("federation.getAssertion must be a function that answers the workload's own token");
  }
  // The exchange reads an empty scope as none, and gives all that the rule has.
  const isList = Array.isArray(scopes) && scopes.length > 0 && scopes.every((scope) => SCOPE.test(scope));
  if (scopes !== undefined && !isList) {
    throw new TypeError("federation.scopes must be a list of scopes; leave it out for all of the rule's");
  }
}

/**
 * Returns a source of tokens that exchanges them when needed, once for all calls, and holds them only in memory. While an
 * exchange fails, the token from before is used as long as it is valid.
 */
export function federatedTokens(federation: Federation, { baseUrl, fetch, now = Date.now }: Exchange): TokenSource {
  let held: Held | undefined;
  let flight: Promise<string> | undefined;
  let failures = 0;
  let pausedUntilMs = 0;

  async function exchange(): Promise<string> {
    const signal = AbortSignal.timeout(EXCHANGE_MS);
    const startMs = now();
    try {
      const assertion = checkedAssertion(await untilAborted(signal, async () => federation.getAssertion({ signal })));
      const { token, lifeMs } = await send({ ...federation, assertion }, { baseUrl, fetch, signal });
      // Counted from before the exchange: the answer may have taken a while.
      held = { token, renewMs: startMs + lifeMs * RENEW_AT, endMs: startMs + lifeMs };
      failures = 0;
      pausedUntilMs = 0;
      return token;
    } catch (err) {
      pausedUntilMs = now() + Math.min(PAUSE_MS * 2 ** failures++, PAUSE_MS_MAX);
      throw err;
    }
  }

  function exchangeOnce(): Promise<string> {
    flight ??= exchange().finally(() => {
      flight = undefined;
    });
    return flight;
  }

  return ({ signal, refresh }) => {
    const nowMs = now();
    if (!refresh && held !== undefined && nowMs < held.endMs - MARGIN_MS) {
      // No call waits for it: after a failure comes a pause, and the error is that of a call without a token.
      if (nowMs >= held.renewMs && nowMs >= pausedUntilMs) exchangeOnce().catch(() => {});
      return held.token;
    }
    return untilAborted(signal, exchangeOnce);
  };
}

function checkedAssertion(answered: unknown): string {
  const assertion = typeof answered === "string" ? answered.trim() : "";
  if (assertion === "") throw new ConnectError("federation.getAssertion answered no token", Code.Unauthenticated);
  return assertion;
}

interface Asked extends Pick<Federation, "rule" | "scopes"> {
  readonly assertion: string;
}

async function send(
  { rule, scopes, assertion }: Asked,
  { baseUrl, fetch: given, signal }: Exchange & { readonly signal: AbortSignal },
): Promise<{ readonly token: string; readonly lifeMs: number }> {
  const url = `${baseUrl}/oauth/token`;
  const body = new URLSearchParams({
    ...{ grant_type: EXCHANGE_TYPE, client_id: rule, subject_token: assertion, subject_token_type: JWT_TYPE },
    ...(scopes !== undefined && { scope: scopes.join(" ") }),
  });
  // Browsers insist on being called without `this`.
  const call = given ?? globalThis.fetch;
  let response: Response;
  let text: string;
  try {
    response = await call(url, { method: "POST", body, signal, redirect: REDIRECT });
    text = await response.text();
  } catch (cause) {
    // Not the cause's own words, which may repeat what was to be sent.
    throw new ConnectError(
      `${new URL(url).host} could not be reached to exchange a token`,
      Code.Unavailable,
      undefined,
      undefined,
      cause,
    );
  }
  const redirect = redirectOf(response, url);
  if (redirect !== undefined) {
    throw new ConnectError(
      `${new URL(url).host} answered the exchange with ${redirect}; none is followed: ${ADVICE}`,
      Code.Unknown,
    );
  }
  const answer = objectIn(text);
  if (response.status !== 200) throw refusal(response, answer);
  const { access_token: token, expires_in: seconds } = answer;
  if (typeof token !== "string" || typeof seconds !== "number") {
    throw new ConnectError(`${new URL(url).host} answered the exchange without a token; ${ADVICE}`, Code.Unknown);
  }
  return { token, lifeMs: seconds * 1_000 };
}

const CODES: Readonly<Record<string, Code>> = {
  invalid_grant: Code.Unauthenticated,
  invalid_scope: Code.PermissionDenied,
  temporarily_unavailable: Code.Unavailable,
};

function refusal(
  { status, headers }: Response,
  { error, error_description: description, code: fault }: Record<string, unknown>,
): ConnectError {
  const isOAuth = typeof error === "string" && typeof description === "string";
  const advice = isErrorCode(fault) || PROXY_STATUSES.has(status) ? "" : `; ${ADVICE}`;
  const said = isOAuth ? `${error}: ${description}` : `status ${status}${advice}`;
  const code = (isOAuth ? CODES[error] : undefined) ?? (status >= 500 ? Code.Unavailable : Code.InvalidArgument);
  const after = headers.get("Retry-After");
  const metadata = retryAfterMs(after, Date.now) === undefined ? undefined : { "Retry-After": after ?? "" };
  return new ConnectError(`the workload's token was not exchanged: ${said}`, code, metadata);
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
