import { LRUCache } from "lru-cache";
import { hashSecret } from "../../domain/credentials/secret.ts";
import type { Call } from "../../interceptors/call.ts";

/** Whose requests wait in one line: a tenant's or the operator's, as far as it is known before the caller is checked, else an address's. */
export interface Flows {
  /** The line of a call, and what `learn` needs to know. */
  flowOf(call: Pick<Call, "credentials" | "address">): Flow;
  /** Remembers whose the key or token is with which a call that had to wait was made. */
  learn(flow: Flow, call: Pick<Call, "presented" | "principal">): void;
}

export interface Flow {
  readonly name: string;
  /** Of the presented key or token. Null: none was presented, or its owner is known. */
  readonly secretHash: string | null;
}

/** Keys and tokens whose owners are remembered. One that was forgotten waits in its address's line once. */
const SECRETS_MAX = 10_000;

/**
 * A key is not known by its text alone: else each made-up key would have a line of its own, and a caller with many of them more
 * turns than all others.
 */
export function createFlows(): Flows {
  const names = new LRUCache<string, string>({ max: SECRETS_MAX });
  return {
    flowOf({ credentials: { apiKey, authorization }, address }) {
      const secret = apiKey[0] ?? authorization[0];
      const secretHash = secret === undefined ? null : hashSecret(secret);
      const name = secretHash === null ? undefined : names.get(secretHash);
      return name === undefined ? { name: `address ${address}`, secretHash } : { name, secretHash: null };
    },
    learn({ secretHash }, call) {
      const name = secretHash === null ? undefined : nameOf(call);
      if (secretHash !== null && name !== undefined) names.set(secretHash, name);
    },
  };
}

/** Undefined: the caller belongs to no tenant, or is unknown. */
function nameOf({ presented, principal }: Pick<Call, "presented" | "principal">): string | undefined {
  if (principal?.kind === "operator") return principal.kind;
  const tenantId = presented?.key.tenantId ?? principal?.tenantId ?? undefined;
  return tenantId && `tenant ${tenantId}`;
}
