import type { Admission } from "../../src/domain/access/admission.ts";
import type { KeyStore } from "../../src/domain/keys/key-store.ts";
import type { TenantStates } from "../../src/domain/tenants/tenant-store.ts";
import { createAdmission } from "../../src/store/limits/admission.ts";
import { createMemoryLimiter } from "../../src/store/limits/memory-limiter.ts";

export const NO_SUSPENSION: TenantStates = { findTenant: async () => ({ isSuspended: false }) };

/** Admission with limits in memory, at an instant that stands still. */
export function admissionAt(now: Date, keys: KeyStore): Admission {
  const clock = () => now;
  return createAdmission({
    keys,
    tenants: NO_SUSPENSION,
    limiter: createMemoryLimiter(clock),
    clock,
  });
}
