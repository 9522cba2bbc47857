/** The public key, on the curve P-256. */
export interface PublicJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
}

/** A key that signs tokens, as it is stored. */
export interface SigningKey {
  /** The RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  /** The private key, encrypted under `TOKEN_SECRET`. */
  readonly sealedKey: Uint8Array;
  readonly state: SigningKeyState;
  readonly createdAt: Date;
}

/**
 * - `next`: published, so that every verifier knows it before it signs;
 * - `active`: signs. At most one is, over all replicas;
 * - `retired`: signs no more, and is published until then.
 */
export type SigningKeyState =
  | { readonly kind: "next" }
  | { readonly kind: "active" }
  | { readonly kind: "retired"; readonly until: Date };

/** The keys of all replicas. Each method may throw `StoreUnavailable`. Of two replicas that do the same, one does it. */
export interface SigningKeyStore {
  readKeys(): Promise<readonly SigningKey[]>;
  /** Does nothing if there is an active key, or a next one, already. */
  addKey(key: SigningKey): Promise<void>;
  /** Makes `next` the active key, and retires `active` until then. Does nothing if another replica has. */
  promote(kids: { readonly active: string | undefined; readonly next: string }, until: Date): Promise<void>;
  /** Replaces the encrypted private key, unless another replica has. */
  reseal(kid: string, sealed: { readonly before: Uint8Array; readonly after: Uint8Array }): Promise<void>;
  /** Removes the retired keys that have ended. */
  removeEnded(now: Date): Promise<void>;
}
