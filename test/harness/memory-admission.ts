import type { Admission } from "../../src/domain/ports/admission.ts";
import type { KeyStore } from "../../src/domain/ports/keys.ts";
import type { TenantStates } from "../../src/domain/ports/tenants.ts";
import { createAdmission } from "../../src/store/admission/admission.ts";
import { createMemoryLimiter } from "../../src/store/memory/memory-limiter.ts";

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
