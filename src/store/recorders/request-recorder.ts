import type { RecentRequest } from "../../domain/requests/recent-request.ts";
import { KEPT_OF_KEY, type RequestLog, type RequestRecorder } from "../../domain/requests/request-log.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";
import { Batches } from "./batches.ts";

/** Maximum number of requests that are stored once a second, of those of one tenant, and of those of one key: none holds up the others. */
const FLUSHED_MAX = 500;
const FLUSHED_OF_TENANT_MAX = 200;
const FLUSHED_OF_KEY_MAX = 20;
/**
 * Maximum number of requests that wait to be stored, of a tenant and of all; of a key as many as are kept. Beyond it a key's newest
 * one takes the place of its oldest. Reached while the database is away, or by many keys that are denied all the time.
 */
const WAITING_OF_TENANT_MAX = 2_000;
const WAITING_MAX = 10_000;
/** Maximum number of keys of which admitted requests are sampled within a minute. */
const SAMPLED_KEYS_MAX = 10_000;
const MINUTE_MS = 60_000;
/** How long a process that stops retries to store its requests. */
const CLOSE_MS = 5_000;
/** The name of what has no tenant, and of what has no key. */
const NONE = "";

interface Tenant {
  /** By key, oldest first. The one whose turn is next comes first. */
  readonly keys: Map<string, RecentRequest[]>;
  waiting: number;
}

export interface RequestRecorderContext {
  readonly requests: Pick<RequestLog, "addRequests">;
  /** Called after each attempt that fails. The failed batch is sent again before any other. */
  readonly onError: (err: unknown) => void;
}

export interface OwnRequests extends RequestRecorder {
  /** Stores some of what was recorded. Never rejects. A timer calls it, too. */
  flush(): Promise<void>;
  /** Tries for 5 s, but not beyond `deadline`, to store all that is left. Never rejects. */
  close(deadline: AbortSignal): Promise<void>;
}

/** Records nothing: `REQUEST_LOG_DAYS` is 0. */
export const NO_REQUESTS: RequestRecorder = {
  isOn: false,
  samples: () => false,
  record: () => {},
  stored: async () => {},
};

/**
 * Keeps decided requests in this process, and stores them once a second (ADR 53): no request waits for it. All of it is bounded,
 * however many are denied. A killed process loses what it had not stored.
 */
export function createRequestRecorder(ctx: RequestRecorderContext): OwnRequests {
  const tenants = new Map<string, Tenant>();
  let waiting = 0;
  let sampled = new Set<string>();
  let sampledMinute = 0;
  const flush = (): Promise<void> => attempt().catch(ctx.onError);
  const batches = new Batches<readonly RecentRequest[]>({
    store: (batchId, requests) => ctx.requests.addRequests(batchId, requests),
    // A batch that the database refuses would be refused for ever, and hold up all others.
    isDropped: (err) => !(err instanceof StoreUnavailable),
    onTime: flush,
    onError: ctx.onError,
    closeMs: CLOSE_MS,
  });

  function tenantOf(name: string): Tenant {
    const known = tenants.get(name);
    if (known !== undefined) return known;
    const tenant = { keys: new Map(), waiting: 0 };
    tenants.set(name, tenant);
    return tenant;
  }

  /** Some requests of some keys of each tenant. The rest has its next turn after the others. */
  function take(most: number, ofTenant: number, ofKey: number): RecentRequest[] {
    const taken: RecentRequest[] = [];
    for (const [name, tenant] of [...tenants]) {
      if (taken.length >= most) break;
      takeOf(tenant, Math.min(taken.length + ofTenant, most), ofKey, taken);
      tenants.delete(name);
      if (tenant.waiting > 0) tenants.set(name, tenant);
    }
    waiting -= taken.length;
    return taken;
  }

  function takeOf(tenant: Tenant, end: number, ofKey: number, taken: RecentRequest[]): void {
    for (const [keyId, requests] of [...tenant.keys]) {
      if (taken.length >= end) break;
      const some = requests.splice(0, Math.min(ofKey, end - taken.length));
      tenant.waiting -= some.length;
      taken.push(...some);
      tenant.keys.delete(keyId);
      if (requests.length > 0) tenant.keys.set(keyId, requests);
    }
  }

  /** A call during an attempt only waits for it. */
  function attempt(ofTenant = FLUSHED_OF_TENANT_MAX, ofKey = FLUSHED_OF_KEY_MAX): Promise<void> {
    const some = () => (waiting > 0 ? take(FLUSHED_MAX, ofTenant, ofKey) : undefined);
    return batches.underWay ?? batches.attempt(() => batches.send(some));
  }

  async function storeAll(ended: AbortSignal): Promise<void> {
    while (!ended.aborted && (waiting > 0 || batches.unconfirmed !== undefined))
      await attempt(FLUSHED_MAX, FLUSHED_MAX);
  }

  return {
    isOn: true,
    samples(keyId, at) {
      const minute = Math.floor(at.getTime() / MINUTE_MS);
      if (minute !== sampledMinute) {
        sampledMinute = minute;
        sampled = new Set();
      }
      if (sampled.has(keyId) || sampled.size >= SAMPLED_KEYS_MAX) return false;
      sampled.add(keyId);
      return true;
    },
    record(request) {
      const tenant = tenantOf(request.tenantId ?? NONE);
      const keyId = request.keyId ?? NONE;
      const requests = tenant.keys.get(keyId) ?? [];
      const isFull =
        requests.length >= KEPT_OF_KEY || tenant.waiting >= WAITING_OF_TENANT_MAX || waiting >= WAITING_MAX;
      if (isFull) {
        if (requests.length === 0) return;
        requests.shift();
      } else {
        tenant.waiting += 1;
        waiting += 1;
      }
      if (requests.length === 0) tenant.keys.set(keyId, requests);
      requests.push(request);
    },
    async stored() {
      // One that is under way began before the request that the caller wants to see.
      await batches.underWay?.catch(() => {});
      // All of a key, or the newest of one that is denied all the time would be missing.
      await attempt(FLUSHED_MAX, KEPT_OF_KEY).catch(ctx.onError);
    },
    flush,
    async close(deadline) {
      await batches.close(storeAll, deadline);
    },
  };
}
