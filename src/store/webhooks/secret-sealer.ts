import { createSealing, derive } from "../sealing/sealing.ts";

/** Whose secret it is. */
export interface SecretPlace {
  readonly tenantId: string;
  readonly webhookId: string;
}

/** Webhooks' secrets as the database has them. Signing needs them as they are, so a hash would not do (ADR 56). */
export interface SecretSealer {
  /** Sealed under the first secret; as it is without a secret. */
  seal(place: SecretPlace, secret: string): string;
  /** Also one that was stored as it is. Undefined: none of the secrets opens it, or it is another webhook's. */
  open(place: SecretPlace, stored: string): string | undefined;
  /** The beginning of all texts sealed under the first secret. Undefined: nothing is sealed. */
  readonly prefix: string | undefined;
}

/** No secret of a webhook begins so. */
const SEALED = "sealed:";
const ID_PURPOSE = "latchkey webhook secret id";
/** Tells apart the two secrets of a change, and says nothing of them. */
const ID_BYTES = 4;
const { seal, open } = createSealing("latchkey webhook secret");

/** `secrets`: those of `TOKEN_SECRET` as they are now. The first seals, and each may open. None: nothing is sealed. */
export function createSecretSealer(secrets: () => readonly string[]): SecretSealer {
  return {
    seal(place, secret) {
      const [first] = secrets();
      if (first === undefined) return secret;
      return prefixOf(first) + Buffer.from(seal(first, textOf(place), Buffer.from(secret))).toString("base64url");
    },
    open(place, stored) {
      if (!stored.startsWith(SEALED)) return stored;
      for (const secret of secrets()) {
        const prefix = prefixOf(secret);
        if (!stored.startsWith(prefix)) continue;
        const plain = open(secret, textOf(place), Buffer.from(stored.slice(prefix.length), "base64url"));
        if (plain !== undefined) return Buffer.from(plain).toString();
      }
      return undefined;
    },
    get prefix() {
      const [first] = secrets();
      return first === undefined ? undefined : prefixOf(first);
    },
  };
}

function prefixOf(secret: string): string {
  return `${SEALED}${derive(secret, ID_PURPOSE, ID_BYTES).toString("hex")}:`;
}

/** Unambiguous, since no id has a NUL. */
function textOf({ tenantId, webhookId }: SecretPlace): string {
  return `${tenantId}\0${webhookId}`;
}
