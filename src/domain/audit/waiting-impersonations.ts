import { Denial } from "../vocabulary/denial.ts";
import type { ImpersonatedCalls, ImpersonatingCaller } from "./audit-trail.ts";
import { type OriginalCall, placeOf } from "./origin.ts";

const HOUR_MS = 3_600_000;
/** Maximum number of pairs of a key and a user that wait to be stored, of a tenant and of all. */
const OF_TENANT_MAX = 10_000;
const ALL_MAX = 50_000;
/** After which a call that had no room may be made again: counts are stored once a second. */
export const UNNAMED_WAIT_SECONDS = 1;

interface Count extends Omit<ImpersonatedCalls, "calls"> {
  calls: number;
}

interface OfTenant {
  size: number;
  /** By key, and within it by hour and user. */
  readonly keys: Map<string, Map<string, Count>>;
}

/** How much is taken at once, of a tenant and of all. */
export interface Most {
  readonly ofTenant: number;
  readonly all: number;
}

/**
 * Calls of keys for users that wait to be stored, each with its user: one count for each hour, key and user. Who makes up users can
 * fill it, so a key that has no room is refused before its call is admitted (`unnamedCall`), and no call is stored without its user.
 */
export class WaitingImpersonations {
  readonly #tenants = new Map<string, OfTenant>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /**
   * Whether a call of this caller can be named. A key has at most as many users waiting as it leaves free of its tenant's, and a
   * tenant as it leaves free of all, so that no key fills the room of others.
   */
  hasRoom(at: Date, { tenantId, key, onBehalfOf }: ImpersonatingCaller): boolean {
    if (onBehalfOf === null) return true;
    const tenant = this.#tenants.get(tenantId);
    const counts = tenant?.keys.get(key.keyId);
    if (counts?.has(nameOf(at, onBehalfOf))) return true;
    const ofTenant = tenant?.size ?? 0;
    const free = Math.min(OF_TENANT_MAX, ALL_MAX - this.#size) - ofTenant;
    return (counts?.size ?? 0) < free;
  }

  /** Counts an admitted call, whether there is room or not: those that were admitted together may be a few more. */
  add(at: Date, call: OriginalCall, { tenantId, key: { keyId }, onBehalfOf }: ImpersonatingCaller): void {
    if (onBehalfOf === null) return;
    const known = this.#tenants.get(tenantId)?.keys.get(keyId)?.get(nameOf(at, onBehalfOf));
    if (known !== undefined) known.calls += 1;
    else this.#insert({ hour: hourOf(at), tenantId, keyId, userId: onBehalfOf, calls: 1, origin: placeOf(call) });
  }

  /** Adds calls that an edge has admitted and counted. */
  addCounted(counted: ImpersonatedCalls): void {
    const { hour, tenantId, keyId, userId, calls } = counted;
    const known = this.#tenants.get(tenantId)?.keys.get(keyId)?.get(nameOf(hour, userId));
    if (known !== undefined) known.calls += calls;
    else this.#insert({ ...counted, hour: hourOf(hour) });
  }

  #insert(count: Count): void {
    const { tenantId, keyId } = count;
    const tenant = this.#tenants.get(tenantId) ?? { size: 0, keys: new Map<string, Map<string, Count>>() };
    const counts = tenant.keys.get(keyId) ?? new Map<string, Count>();
    this.#tenants.set(tenantId, tenant);
    tenant.keys.set(keyId, counts);
    counts.set(nameOf(count.hour, count.userId), count);
    tenant.size += 1;
    this.#size += 1;
  }

  /** Takes out some counts of each tenant. A tenant, or a key, of which some are left is the last the next time. */
  take({ ofTenant, all }: Most): ImpersonatedCalls[] {
    const taken: ImpersonatedCalls[] = [];
    for (const [tenantId, tenant] of [...this.#tenants]) {
      const before = taken.length;
      const end = Math.min(before + ofTenant, all);
      if (before === end) break;
      takeOf(tenant, end, taken);
      tenant.size -= taken.length - before;
      this.#tenants.delete(tenantId);
      if (tenant.size > 0) this.#tenants.set(tenantId, tenant);
    }
    this.#size -= taken.length;
    return taken;
  }
}

function takeOf({ keys }: OfTenant, end: number, taken: ImpersonatedCalls[]): void {
  for (const [keyId, counts] of [...keys]) {
    if (taken.length === end) return;
    for (const [name, count] of counts) {
      if (taken.length === end) break;
      taken.push(count);
      counts.delete(name);
    }
    keys.delete(keyId);
    if (counts.size > 0) keys.set(keyId, counts);
  }
}

function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
}

function nameOf(at: Date, userId: string): string {
  return `${Math.floor(at.getTime() / HOUR_MS)} ${userId}`;
}

/** The denial of a call that the audit trail could not name. */
export function unnamedCall(): Denial {
  return new Denial("rate_limited", {
    message:
      "This API key acts for more users at once than the audit trail can take; wait for the seconds in Retry-After.",
  });
}
