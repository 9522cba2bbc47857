import { Denial } from "../../domain/denial.ts";
import type { Claims, TokenExpectation } from "../../domain/identity/claims.ts";
import { audienceDiffers, expired, inFuture, issuerDiffers } from "../../domain/identity/refused-claims.ts";
import { algorithmNotAccepted, signatureNotVerified, undecodablePart } from "../../domain/identity/refused-token.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { TokenVerifier } from "../../domain/ports/tokens.ts";
import { acceptedAlgorithm } from "./algorithms.ts";
import { type CompactToken, parseCompactToken, parseJsonObject, payloadText } from "./compact-token.ts";
import { ChecksExhausted, createCostlyChecks } from "./costly-checks.ts";
import type { KeySet } from "./key-set.ts";
import { createKeySets, type KeySetChange, KeysUnavailable } from "./key-sets.ts";
import { createSafeFetch, type SafeFetchOptions } from "./safe-fetch.ts";
import { refuseLogoutToken } from "./token-kind.ts";
import { createVerifiedTokenCaches, digestOf } from "./verified-tokens.ts";

export interface TokenVerifierContext {
  readonly clock: Clock;
  /** Milliseconds of a clock that is never set back. Default: the process's own. */
  readonly monotonicMs?: () => number;
  /** Exact `host:port` list; see `SafeFetchOptions.allowedHosts`. */
  readonly jwksAllowedHosts: readonly string[];
  /** Called once when fetches of a key set begin to fail, and once when they succeed again. */
  readonly onKeySetChange: (change: KeySetChange) => void;
  /** For tests. */
  readonly fetch?: Omit<SafeFetchOptions, "allowedHosts">;
}

export interface JwksTokenVerifier extends TokenVerifier {
  /** Aborts the fetches under way. */
  close(): Promise<void>;
}

/** Tolerated difference between a token's times and our clock, in seconds. */
const LEEWAY_S = 5;
/** Tolerance for `iat`. An issuer whose clock is further ahead cannot be trusted with `exp` either. */
const ISSUED_LEEWAY_S = 60;
/** Doubles beyond it do not count whole seconds: such an `exp` is not a date, and the token would never expire. */
const EXP_END_S = 2 ** 53;

/** The keys with the token's `kid` did not verify it, so a newer key set is not awaited. */
const REFUSED = Symbol("refused");

/** A payload that a key of this set signed. Undefined: it is not UTF-8. */
interface Verified {
  readonly payload: string | undefined;
  readonly keys: KeySet;
}

/**
 * Verifies users' tokens. The checks run in this order, and the first failure is reported: form of the token, algorithm,
 * key and signature, form and kind of the payload, `iss`, `aud`, `exp`, `nbf`, `iat`. The gate checks the claims that name
 * the user or that a configuration requires.
 *
 * We do not use jose's `jwtVerify` for the claims: it accepts a missing `exp`, `"exp": 1e400`, and an `aud`
 * like `[1, "a"]`, and skips a check whose expected value is undefined.
 */
export function createTokenVerifier(ctx: TokenVerifierContext): JwksTokenVerifier {
  const { clock } = ctx;
  const safeFetch = createSafeFetch({ ...ctx.fetch, allowedHosts: ctx.jwksAllowedHosts });
  const verifiedTokens = createVerifiedTokenCaches();
  const monotonicMs = ctx.monotonicMs ?? (() => performance.now());
  const costlyChecks = createCostlyChecks({ monotonicMs });
  const keySets = createKeySets({
    clock,
    monotonicMs,
    fetchText: safeFetch.fetchText,
    verifiedTokens,
    onChange: ctx.onKeySetChange,
  });

  /** The payload, `REFUSED`, or undefined if a newer key set could verify the token. */
  async function tryKeys(
    token: CompactToken,
    keys: KeySet,
    { jwksOwner }: TokenExpectation,
  ): Promise<Verified | typeof REFUSED | undefined> {
    const account = jwksOwner.kind === "tenant" ? `tenant ${jwksOwner.tenantId}` : "operator";
    for (const [index, key] of keys.keysFor(token).entries()) {
      const check = () => key.verifies(token);
      // Any further key counts as costly: for a forged token all keys are tried.
      if (await (key.isCostly || index > 0 ? costlyChecks.run(account, check) : check())) {
        return { payload: payloadText(token), keys };
      }
    }
    return token.kid !== undefined && keys.hasKid(token.kid) ? REFUSED : undefined;
  }

  async function checkSignature(token: CompactToken, expected: TokenExpectation): Promise<Verified> {
    try {
      const verdict = await keySets.use(expected, (keys) => tryKeys(token, keys, expected));
      if (verdict !== undefined && verdict !== REFUSED) return verdict;
      if (verdict === REFUSED) keySets.refetchInBackground(expected);
    } catch (err) {
      // No cause for the log: the cause was logged when fetches began to fail.
      if (err instanceof KeysUnavailable) throw new Denial("verifier_error", { retryAfterMs: err.retryAfterMs });
      if (err instanceof ChecksExhausted) throw new Denial("verifier_error");
      throw err;
    }
    throw signatureNotVerified(token);
  }

  function checkPayload(payload: string | undefined, expected: TokenExpectation): { claims: Claims; expS: number } {
    const claims = parseJsonObject(payload);
    if (claims === undefined) throw undecodablePart("payload");
    refuseLogoutToken(claims);
    checkIssuerAndAudience(claims, expected);
    return { claims, expS: checkTimes(claims, clock().getTime() / 1_000) };
  }

  return {
    async verify(text, expected) {
      const digest = digestOf(text);
      // These keys have verified the same text before: only its claims are checked again.
      const cached = keySets.current(expected)?.verified.payloadOf(digest, clock().getTime() / 1_000);
      if (cached !== undefined) return checkPayload(cached, expected).claims;
      const token = parseCompactToken(text);
      if (acceptedAlgorithm(token.alg) === undefined) throw algorithmNotAccepted(token.alg);
      const { payload, keys } = await checkSignature(token, expected);
      const { claims, expS } = checkPayload(payload, expected);
      // After the claims are checked: rejected tokens must not evict accepted ones.
      if (payload !== undefined) keys.verified.add(digest, payload, expS);
      return claims;
    },
    inspectKeySet: keySets.inspect,
    close: () => safeFetch.close(),
  };
}

function checkIssuerAndAudience(claims: Claims, { issuer, audience }: TokenExpectation): void {
  if (claims.iss !== issuer) throw issuerDiffers(claims.iss, issuer);
  const audiences: readonly unknown[] = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  if (!audiences.every((member) => typeof member === "string") || !audiences.includes(audience)) {
    throw audienceDiffers(claims.aud, audience);
  }
}

/** Returns the `exp`, in seconds. */
function checkTimes({ exp, nbf, iat }: Claims, nowS: number): number {
  if (!isFiniteNumber(exp) || exp >= EXP_END_S) {
    throw malformed("The user token lacks the claim exp as a number below 2^53; have its issuer give it an expiry.");
  }
  if (nowS > exp + LEEWAY_S) throw expired(exp);
  if (nbf !== undefined && !isFiniteNumber(nbf))
    throw malformed("The user token's claim nbf is not a number; have its issuer give it one.");
  if (nbf !== undefined && nowS < nbf - LEEWAY_S) throw inFuture("nbf", nbf);
  if (iat !== undefined && !isFiniteNumber(iat)) {
    throw malformed("The user token's claim iat is not a number; have its issuer give it one.");
  }
  if (iat !== undefined && nowS < iat - ISSUED_LEEWAY_S) throw inFuture("iat", iat);
  return exp;
}

/** JSON's 1e400 parses to Infinity, an expiry that never comes. */
function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function malformed(message: string): Denial {
  return new Denial("jwt_malformed", { message });
}
