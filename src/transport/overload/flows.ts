import { LRUCache } from "lru-cache";
import { hashSecret } from "../../domain/credentials/secret.ts";
import type { Call } from "../../interceptors/call.ts";

/** Whose requests wait in one line: those of a tenant, of its apps or of the operator, where they were accepted before, else an address's. */
export interface Flow {
  readonly name: string;
  /** Whether the caller is a user or the operator, who are the few that change what the many are checked against. */
  readonly isManager: boolean;
}

export interface Flows {
  /** The line of a call. */
  flowOf(call: Pick<Call, "credentials" | "address">): Flow;
  /**
   * Remembers whose the credentials of an accepted call are, and returns the caller's line. Undefined: the call is not accepted, or its
   * caller has no tenant.
   */
  learn(call: Pick<Call, "credentials" | "address" | "verdict" | "denial">): Flow | undefined;
}

/** Callers whose lines are remembered. One that was forgotten waits in its address's line once. */
const CALLERS_MAX = 10_000;

/**
 * A line is known by all credentials of a call and its address, and only while such calls are accepted. By only a key, everyone who
 * has seen one could fill its tenant's line: a publishable key without its user's token, a key or token that was revoked, one that is
 * fenced or bound and was sent from elsewhere. And each made-up key would have a line of its own, so that a caller with many of them
 * had more turns than all others.
 */
export function createFlows(): Flows {
  const owners = new LRUCache<string, Flow>({ max: CALLERS_MAX });
  return {
    flowOf(call) {
      const caller = callerOf(call);
      const owner = caller === undefined ? undefined : owners.get(caller);
      return owner ?? flowOfAddress(call.address);
    },
    learn(call) {
      const isRefused = call.verdict?.principal === undefined && call.denial !== undefined;
      const owner = call.denial === undefined ? ownerOf(call) : undefined;
      if (owner === undefined && !isRefused) return undefined;
      const caller = callerOf(call);
      if (caller === undefined) return owner;
      if (owner === undefined) {
        owners.delete(caller);
        return undefined;
      }
      const known = owners.get(caller);
      // Under load this is called for each request that waits: what is known is kept.
      if (known?.name === owner.name && known.isManager === owner.isManager) return known;
      owners.set(caller, owner);
      return owner;
    },
  };
}

/** The line of those of whom nothing else is known. */
export function flowOfAddress(address: string | null): Flow {
  return { name: `address ${address}`, isManager: false };
}

/** Whether the caller was found to be one of those whose calls are management. */
export function isManager({ verdict }: Pick<Call, "verdict">): boolean {
  const principal = verdict?.principal;
  return principal?.kind === "operator" || principal?.kind === "dashboard_user";
}

/** What a call presents of itself, as a hash. Undefined: no credentials. */
function callerOf({ credentials: { apiKey, authorization }, address }: Pick<Call, "credentials" | "address">) {
  if (apiKey.length === 0 && authorization.length === 0) return undefined;
  return hashSecret([address, ...apiKey, "", ...authorization].join("\n"));
}

/** Apps have lines beside their tenant's backend: their keys are public, and anyone may sign up as their user. */
function ownerOf(call: Pick<Call, "verdict">): Flow | undefined {
  const principal = call.verdict?.principal;
  if (principal?.kind === "operator") return { name: principal.kind, isManager: true };
  if (principal?.tenantId == null) return undefined;
  const whose = principal.kind === "publishable_key" ? "apps of" : "tenant";
  return { name: `${whose} ${principal.tenantId}`, isManager: isManager(call) };
}
