import type { JwksOwner, TokenExpectation } from "../../domain/tokens/claims.ts";
import { asBearer, confirmedKey } from "../../domain/tokens/confirmation.ts";
import type { ProviderMetadata } from "../../domain/tokens/provider-metadata.ts";
import { algorithmNotAccepted, signatureNotVerified, undecodablePart } from "../../domain/tokens/refused-token.ts";
import { requireAll } from "../../domain/tokens/token-check.ts";
import { TOKEN_CHECKS } from "../../domain/tokens/token-checks.ts";
import type { TokenVerifier } from "../../domain/tokens/token-verifier.ts";
import type { Clock } from "../../domain/vocabulary/clock.ts";
import { Denial } from "../../domain/vocabulary/denial.ts";
import { acceptedAlgorithm } from "./algorithms.ts";
import { type CompactToken, parseCompactToken, parseJsonObject, payloadText } from "./compact-token.ts";
import { ChecksExhausted, createCostlyChecks } from "./costly-checks.ts";
import { diagnoseToken, type TokenSteps } from "./diagnosis.ts";
import type { KeySet } from "./key-set.ts";
import { createKeySets, type KeySetChange, type KeySetFetch, KeysUnavailable } from "./key-sets.ts";
import { fetchDocument } from "./provider-document.ts";
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
  /** Called after each fetch of a key set with how long it took, in ms. */
  readonly onKeySetFetched?: (owner: JwksOwner, outcome: KeySetFetch, ms: number) => void;
  /** For tests. */
  readonly fetch?: Omit<SafeFetchOptions, "allowedHosts">;
}

export interface JwksTokenVerifier extends TokenVerifier, ProviderMetadata {
  /** Loads what fetches of key sets need. Otherwise the first fetch does. */
  prepare(): Promise<void>;
  /** Aborts the fetches under way. */
  close(): Promise<void>;
}

/** The keys with the token's `kid` did not verify it, so a newer key set is not awaited. */
const REFUSED = Symbol("refused");

/**
 * Verifies users' tokens. The checks run in this order, and the first failure is reported: form of the token, algorithm,
 * key and signature, form and kind of the payload, then `TOKEN_CHECKS`. The gate checks the claims that name the user or
 * that a configuration requires.
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
    onFetched: ctx.onKeySetFetched ?? (() => {}),
  });
  const nowS = () => clock().getTime() / 1_000;

  /** The keys if one of them verifies the token, `REFUSED`, or undefined if a newer key set could verify it. */
  async function tryKeys(
    token: CompactToken,
    keys: KeySet,
    { jwksOwner }: TokenExpectation,
  ): Promise<KeySet | typeof REFUSED | undefined> {
    const account = jwksOwner.kind === "tenant" ? `tenant ${jwksOwner.tenantId}` : "operator";
    for (const [index, key] of keys.keysFor(token).entries()) {
      const check = () => key.verifies(token);
      // Any further key counts as costly: for a forged token all keys are tried.
      if (await (key.isCostly || index > 0 ? costlyChecks.run(account, check) : check())) return keys;
    }
    return token.kid !== undefined && keys.hasKid(token.kid) ? REFUSED : undefined;
  }

  const steps: TokenSteps = {
    parse: parseCompactToken,
    requireAlgorithm({ alg }) {
      if (acceptedAlgorithm(alg) === undefined) throw algorithmNotAccepted(alg);
    },
    async checkSignature(token, expected) {
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
    },
    readClaims(payload) {
      const claims = parseJsonObject(payload);
      if (claims === undefined) throw undecodablePart("payload");
      refuseLogoutToken(claims);
      return claims;
    },
  };

  return {
    async verify(text, expected, checkSender = asBearer) {
      const digest = digestOf(text);
      // These keys have verified the same text before: only its claims are checked again.
      const known = keySets.current(expected)?.verified.find(digest, nowS());
      if (known !== undefined) {
        const claims = steps.readClaims(known.payload);
        requireAll(TOKEN_CHECKS, { claims, kind: known.kind, nowS: nowS() }, expected);
        // A proof is of one request: what is cached of the token says nothing of it.
        const sender = checkSender(confirmedKey(claims));
        if (sender !== undefined) await sender;
        return claims;
      }
      const token = steps.parse(text);
      steps.requireAlgorithm(token);
      const keys = await steps.checkSignature(token, expected);
      const payload = payloadText(token);
      const claims = steps.readClaims(payload);
      const { kind } = token;
      requireAll(TOKEN_CHECKS, { claims, kind, nowS: nowS() }, expected);
      await checkSender(confirmedKey(claims));
      // After the claims are checked: rejected tokens must not evict accepted ones.
      if (payload !== undefined) keys.verified.add(digest, { payload, kind }, Number(claims.exp));
      return claims;
    },
    diagnose: (text, expected) => diagnoseToken(steps, text, expected, nowS),
    inspectKeySet: keySets.inspect,
    fetchDocument: (url, owner) => fetchDocument(safeFetch.fetchText, url, owner),
    prepare: () => safeFetch.prepare(),
    close: () => safeFetch.close(),
  };
}
