import type { CryptoKey, JWK } from "jose";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { exportJWK, exportPKCS8 } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { importPKCS8 } from "jose/key/import";
import { nextStep, PUBLISHED_AFTER_MS } from "../../../domain/access-tokens/rotation.ts";
import type { SigningKey, SigningKeyStore } from "../../../domain/access-tokens/signing-key.ts";
import type { KeyClock } from "../../../domain/vocabulary/clock.ts";
import type { ReportError } from "../../../domain/vocabulary/report-error.ts";
import { StoreUnavailable } from "../../../domain/vocabulary/store-unavailable.ts";
import { acceptedAlgorithm } from "../algorithms.ts";
import { importPublicKey, type PublicKey } from "../public-key.ts";
import { open, seal } from "./sealed-key.ts";

export const ALG = "ES256";

export interface SigningKeysContext {
  readonly store: SigningKeyStore;
  readonly clock: KeyClock;
  /** As they are now. The first encrypts, and each may decrypt. */
  readonly secrets: () => readonly string[];
  /** Reports once that no secret decrypts a key, with its `kid`. */
  readonly onUndecryptable: ReportError;
}

/** The keys that sign and verify tokens, as this replica has read them last. */
export interface SigningKeys {
  /** The public keys, as they are published: also the one that will sign next, and those that have signed. */
  readonly publicJwks: readonly JWK[];
  verifierOf(kid: string): PublicKey | undefined;
  /** The active key. Reads the keys again if they were read more than a minute ago. Throws `StoreUnavailable`. */
  signer(): Promise<Signer>;
  /** Reads the keys again, after the steps of the rotation that are due. Throws `StoreUnavailable`. */
  refresh(): Promise<void>;
  /** The same, for a token whose `kid` is unknown: at most once a second, since anyone can send one. */
  refreshForUnknown(): Promise<void>;
}

export interface Signer {
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

interface OpenedKey extends SigningKey {
  readonly publicKey: PublicKey;
  /** Undefined: no secret decrypts it. */
  readonly privateKey: CryptoKey | undefined;
  /** The secrets with which it was decrypted, or not. */
  readonly secrets: readonly string[];
}

/** Keys that were read longer ago are read again before one of them signs. */
const FRESH_MS = 60_000;
const UNKNOWN_MS = 1_000;
/** Steps that one refresh may take; each is one of the rotation. */
const STEPS_MAX = 4;
const UNDECRYPTABLE =
  "TOKEN_SECRET does not decrypt a signing key: set the secret that it was encrypted with; until then no tokens are issued";

export function createSigningKeys({ store, clock, secrets, onUndecryptable }: SigningKeysContext): SigningKeys {
  let keys: ReadonlyMap<string, OpenedKey> = new Map();
  let publicJwks: readonly JWK[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  const reported = new Set<string>();

  async function readAndRotate(): Promise<void> {
    const now = clock();
    let opened = await openAll(await store.readKeys());
    for (let step = 0; step < STEPS_MAX; step++) {
      const due = nextStep(opened, (kid) => opened.find((key) => key.kid === kid)?.privateKey !== undefined, now);
      if (due.kind === "none") break;
      if (due.kind === "add") await store.addKey(await makeKey(due.state, now));
      else await store.promote(due, new Date(now.getTime() + PUBLISHED_AFTER_MS));
      opened = await openAll(await store.readKeys());
    }
    const isOver = ({ state }: SigningKey): boolean => state.kind === "retired" && state.until <= now;
    if (opened.some(isOver)) await store.removeEnded(now);
    const published = opened.filter((key) => !isOver(key));
    keys = new Map(published.map((key) => [key.kid, key]));
    publicJwks = published.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, alg: ALG, use: "sig" }));
    readAtMs = now.getTime();
  }

  async function openAll(stored: readonly SigningKey[]): Promise<OpenedKey[]> {
    const opened = await Promise.all(stored.map(openOne));
    return opened.filter((key) => key !== undefined);
  }

  /** Undefined: it is not the key of its `kid`, so that somebody else has written it. */
  async function openOne(stored: SigningKey): Promise<OpenedKey | undefined> {
    const known = keys.get(stored.kid);
    const current = secrets();
    // One that was decrypted with the same secrets stays usable while another replica encrypts it under a new one.
    if (known !== undefined && known.secrets === current && (known.privateKey || isSame(known, stored)))
      return { ...known, ...stored };
    const publicKey = known?.publicKey ?? (await publicKeyOf(stored));
    if (publicKey === undefined) return undefined;
    if (stored.state.kind === "retired") return { ...stored, publicKey, privateKey: undefined, secrets: current };
    const { privateKey, sealedKey } = await decrypt(stored, current);
    return { ...stored, sealedKey, publicKey, privateKey, secrets: current };
  }

  async function decrypt(
    { kid, sealedKey }: SigningKey,
    current: readonly string[],
  ): Promise<{ readonly privateKey: CryptoKey | undefined; readonly sealedKey: Uint8Array }> {
    for (const [index, secret] of current.entries()) {
      const plain = open(secret, kid, sealedKey);
      if (plain === undefined) continue;
      reported.delete(kid);
      const privateKey = await importPKCS8(Buffer.from(plain).toString(), ALG);
      const [first] = current;
      if (index === 0 || first === undefined) return { privateKey, sealedKey };
      const after = seal(first, kid, plain);
      await store.reseal(kid, { before: sealedKey, after });
      return { privateKey, sealedKey: after };
    }
    if (!reported.has(kid)) onUndecryptable(UNDECRYPTABLE, undefined, { kid });
    reported.add(kid);
    return { privateKey: undefined, sealedKey };
  }

  async function makeKey(state: "active" | "next", createdAt: Date): Promise<SigningKey> {
    const [secret] = secrets();
    if (secret === undefined) throw new Error("there is no TOKEN_SECRET");
    const pair = await generateKeyPair(ALG, { extractable: true });
    const { kty = "", crv = "", x = "", y = "" } = await exportJWK(pair.publicKey);
    const publicJwk = { kty, crv, x, y };
    const kid = await calculateJwkThumbprint(publicJwk);
    const sealedKey = seal(secret, kid, Buffer.from(await exportPKCS8(pair.privateKey)));
    return { kid, publicJwk, sealedKey, state: { kind: state }, createdAt };
  }

  /** Calls at the same time share one. */
  function refresh(): Promise<void> {
    refreshing ??= readAndRotate().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  return {
    get publicJwks() {
      return publicJwks;
    },
    verifierOf: (kid) => keys.get(kid)?.publicKey,
    async signer() {
      if (clock().getTime() - readAtMs > FRESH_MS) await refresh();
      const active = [...keys.values()].find(({ state }) => state.kind === "active");
      if (active?.privateKey === undefined) throw new StoreUnavailable(new Error(UNDECRYPTABLE));
      return { kid: active.kid, privateKey: active.privateKey };
    },
    refresh,
    async refreshForUnknown() {
      if (clock().getTime() - readAtMs >= UNKNOWN_MS) await refresh();
    },
  };
}

function isSame(a: SigningKey, b: SigningKey): boolean {
  return Buffer.compare(a.sealedKey, b.sealedKey) === 0;
}

async function publicKeyOf({ kid, publicJwk }: SigningKey): Promise<PublicKey | undefined> {
  const algorithm = acceptedAlgorithm(ALG);
  const thumbprint = await calculateJwkThumbprint(publicJwk).catch(() => undefined);
  if (algorithm === undefined || thumbprint !== kid) return undefined;
  const key = await importPublicKey({ ...publicJwk }, ALG, algorithm);
  return key.kind === "usable" ? key : undefined;
}
