import { hash } from "node:crypto";
import { Denial } from "../vocabulary/denial.ts";
import { quotable } from "../vocabulary/request-fault.ts";
import type { UsedOnce } from "./used-once.ts";

/** The algorithms of proofs. EdDSA has a second name since RFC 9864. */
export const PROOF_ALGORITHMS: readonly string[] = ["ES256", "EdDSA", "Ed25519", "RS256", "PS256"];

/** How far a proof's `iat` may be from now, before or after. */
const AGE_S_MAX = 60;
/** A proof is refused by its age long before its use is forgotten, also if the clocks of two replicas differ. */
const REMEMBERED_S = 2 * AGE_S_MAX;
const JTI_CHARS_MAX = 256;

/** The request that a proof must be for. */
export interface ProofTarget {
  readonly method: string;
  /** A path is one below the issuer's URL. A query and a fragment do not count. */
  readonly url: string;
}

/** What a proof must prove. */
export interface ProofOf {
  /** Undefined: a proxy does not say what its client's request is. */
  readonly target: ProofTarget | undefined;
  readonly now: Date;
  /** The token that was sent with it. Undefined: none, since the proof is to bind a new one. */
  readonly token: BoundToken | undefined;
}

interface BoundToken {
  /** Undefined: it did not come in `Authorization`, and its proof does not name it. */
  readonly text: string | undefined;
  /** The RFC 7638 thumbprint of the key that its sender must have. */
  readonly jkt: string;
}

/** A proof whose key has verified it. */
export interface VerifiedProof {
  /** The thumbprint of its key. */
  readonly jkt: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface ProofVerifier {
  /** Checks form, header and signature. `jkt`: the only key that may have signed it. Throws `Denial`. */
  verify(text: string, jkt: string | undefined): Promise<VerifiedProof>;
}

export interface ProofContext {
  /** `TOKEN_ISSUER`: where clients call this service. Nothing that a request says of its host counts. */
  readonly issuer: string;
  readonly verifier: ProofVerifier;
  readonly usedOnce: UsedOnce;
}

/** A proof that was not used before, of which nothing is stored yet. */
export interface CheckedProof {
  /** The thumbprint of the key that its sender has. */
  readonly jkt: string;
  /** Uses it up. Throws `Denial` if it was used meanwhile, or `StoreUnavailable`. */
  use(): Promise<void>;
}

/**
 * Checks the values of the header `DPoP` (RFC 9449, 4.3). Throws `Denial`, or `StoreUnavailable` if it is not known whether the
 * proof was used before.
 */
export type CheckProof = (proofs: readonly string[], of: ProofOf) => Promise<CheckedProof>;

/**
 * A proof is checked before the limit of its key, so that a replay spends nothing, and stored after it, so that no caller stores more
 * proofs than their limit admits.
 */
export function createProofCheck({ issuer, verifier, usedOnce }: ProofContext): CheckProof {
  const checkedHere = createRecentTexts(CHECKED_MAX);
  return async (proofs, { target, now, token }) => {
    const { jkt, claims } = await verifier.verify(onlyProof(proofs), token?.jkt);
    checkTarget(claims, target, issuer);
    const nowS = now.getTime() / 1_000;
    const { iat, ath, jti } = claims;
    if (typeof iat !== "number" || !(Math.abs(nowS - iat) <= AGE_S_MAX)) {
      throw refusedProof(`its iat must be within ${AGE_S_MAX} s of this service's time`);
    }
    if (token?.text !== undefined && ath !== accessTokenHash(token.text)) {
      throw refusedProof("its ath must be the base64url-encoded SHA-256 of the token in Authorization");
    }
    if (typeof jti !== "string" || jti === "" || jti.length > JTI_CHARS_MAX) {
      throw refusedProof(`its jti must be a text of 1 to ${JTI_CHARS_MAX} characters`);
    }
    // Last: a proof that is refused for something else is not used up. Of each key by itself: no other key can use up its `jti`.
    const hash = useOf(jkt, jti);
    // One that is sent many times at once would else spend as often, before the first is stored.
    const text = Buffer.from(hash).toString("base64url");
    if (!checkedHere.add(text)) throw replayed();
    // An unknown result uses nothing up: the same proof is accepted once the store is back.
    const forget = (err: unknown): never => {
      checkedHere.remove(text);
      throw err;
    };
    if (await usedOnce.isUsed(hash).catch(forget)) throw replayed();
    const until = new Date((iat + REMEMBERED_S) * 1_000);
    return {
      jkt,
      async use() {
        if (!(await usedOnce.use(hash, until).catch(forget))) throw replayed();
      },
    };
  };
}

function replayed(): Denial {
  return refusedProof("it was used before");
}

/** How many proofs a process remembers that it has checked, in about a MiB. What was used, the store knows for longer. */
const CHECKED_MAX = 10_000;

/** The last texts that were added. */
function createRecentTexts(max: number) {
  // In the order in which they were added.
  const texts = new Set<string>();
  return {
    /** Whether it is a new one. */
    add(text: string): boolean {
      if (texts.has(text)) return false;
      texts.add(text);
      const [oldest] = texts;
      if (texts.size > max && oldest !== undefined) texts.delete(oldest);
      return true;
    },
    remove: (text: string): void => void texts.delete(text),
  };
}

/** The `ath` of a proof that is sent with a token. */
export function accessTokenHash(token: string): string {
  return hash("sha256", token, "base64url");
}

function useOf(jkt: string, jti: string): Uint8Array {
  return hash("sha256", `dpop ${jkt} ${jti}`, "buffer");
}

function onlyProof(proofs: readonly string[]): string {
  const [text, another] = proofs;
  if (text === undefined || text === "") throw refusedProof("the header is empty or absent");
  if (another !== undefined) throw refusedProof("it was sent more than once");
  return text;
}

function checkTarget({ htm, htu }: VerifiedProof["claims"], target: ProofTarget | undefined, issuer: string): void {
  if (target === undefined) {
    throw refusedProof(
      "no proxy of TRUSTED_PROXIES says for which request it must be, with X-Forwarded-Method, -Proto, -Host and -Uri; without them no token with cnf is accepted",
    );
  }
  if (issuer === "" && target.url.startsWith("/")) {
    throw refusedProof("its URL cannot be checked, nor can any token with cnf: the operator must set TOKEN_ISSUER");
  }
  if (htm !== target.method) throw refusedProof("its htm must be the method of the request, in upper case");
  const url = target.url.startsWith("/") ? `${issuer.replace(/\/$/, "")}${target.url}` : target.url;
  const expected = normalizedUrl(url);
  if (expected === undefined || typeof htu !== "string" || normalizedUrl(htu) !== expected) {
    throw refusedProof(`its htu must be the URL of the request, ${quotable(expected ?? url)}`);
  }
}

const WEB_URL = /^https?:\/\/[^\s\\@]+$/i;
const UNRESERVED = /^[\w.~-]$/;

/**
 * A URL as it is compared: without query and fragment, normalized by syntax and scheme (RFC 3986, 6.2.2 and 6.2.3). Undefined: not
 * an HTTP URL.
 */
export function normalizedUrl(text: string): string | undefined {
  const url = WEB_URL.test(text) ? URL.parse(text) : null;
  if (url === null) return undefined;
  const { origin, pathname } = url;
  const path = pathname.replace(/%([\da-f]{2})/gi, (encoded, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(char) ? char : encoded.toUpperCase();
  });
  return `${origin}${path}`;
}

/** The denial of a proof. `problem` says what it must be. */
export function refusedProof(problem: string): Denial {
  return new Denial("jwt_malformed", {
    message: `The proof in the header DPoP is refused: ${problem}; send a new proof with each request, made for it and for its token.`,
    dpopError: "invalid_dpop_proof",
  });
}

/** The denial of a token that its sender may not use: the key that it is bound to is another one, or none. */
export function wrongSender(problem: keyof typeof SENDER_PROBLEMS): Denial {
  return new Denial("jwt_malformed", { message: SENDER_PROBLEMS[problem], dpopError: "invalid_token" });
}

const SENDER_PROBLEMS = {
  bearer:
    "This token is bound to a key of its sender (cnf.jkt); send it as Authorization: DPoP <token> with a proof in the header DPoP.",
  unbound: "This token is bound to no key, so it cannot be sent by DPoP; send it as Authorization: Bearer <token>.",
  other_key:
    "The proof in the header DPoP is of another key than the one that the token is bound to (cnf.jkt); send a proof of that key.",
} as const;
