import { LRUCache } from "lru-cache";
import { hashSecret } from "../../domain/credentials/secret.ts";
import type { Call } from "../../interceptors/call.ts";

/** Whose requests wait in one line: a tenant's or the operator's, as far as it is known before the caller is checked, else an address's. */
export interface Flow {
  readonly name: string;
  /** Whether the caller is a user or the operator, who are the few that change what the many are checked against. */
  readonly isManager: boolean;
}

export interface Flows {
  /** The line of a call. */
  flowOf(call: Pick<Call, "credentials" | "address">): Flow;
  /**
   * Remembers whose the key or token of a call is, and returns the caller's line. Undefined: the caller belongs to no tenant, or is
   * unknown.
   */
  learn(call: Pick<Call, "credentials" | "presented" | "principal">): Flow | undefined;
}

/** Keys and tokens whose owners are remembered. One that was forgotten waits in its address's line once. */
const SECRETS_MAX = 10_000;

/**
 * A key is not known by its text alone: else each made-up key would have a line of its own, and a caller with many of them more
 * turns than all others. Neither is a token, or a caller with made-up ones would have the turns of users and of the operator.
 */
export function createFlows(): Flows {
  const owners = new LRUCache<string, Flow>({ max: SECRETS_MAX });
  return {
    flowOf({ credentials, address }) {
      const secret = secretOf(credentials);
      const owner = secret === undefined ? undefined : owners.get(hashSecret(secret));
      return owner ?? flowOfAddress(address);
    },
    learn(call) {
      const owner = ownerOf(call);
      const secret = secretOf(call.credentials);
      if (owner === undefined || secret === undefined) return owner;
      const hash = hashSecret(secret);
      const known = owners.get(hash);
      // Under load this is called for each request that waits: what is known is kept.
      if (known?.name === owner.name && known.isManager === owner.isManager) return known;
      owners.set(hash, owner);
      return owner;
    },
  };
}

/** The line of those of whom nothing else is known. */
export function flowOfAddress(address: string | null): Flow {
  return { name: `address ${address}`, isManager: false };
}

/** Whether the caller was found to be one of those whose calls are management. */
export function isManager({ principal }: Pick<Call, "principal">): boolean {
  return principal?.kind === "operator" || principal?.kind === "dashboard_user";
}

function secretOf({ apiKey, authorization }: Call["credentials"]): string | undefined {
  return apiKey[0] ?? authorization[0];
}

function ownerOf(call: Pick<Call, "presented" | "principal">): Flow | undefined {
  const { presented, principal } = call;
  if (principal?.kind === "operator") return { name: principal.kind, isManager: true };
  const tenantId = presented?.key.tenantId ?? principal?.tenantId ?? undefined;
  return tenantId ? { name: `tenant ${tenantId}`, isManager: isManager(call) } : undefined;
}
