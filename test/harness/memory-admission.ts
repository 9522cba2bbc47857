import type { Admission } from "../../src/domain/ports/admission.ts";
import type { KeyStore } from "../../src/domain/ports/keys.ts";
import { createAdmission } from "../../src/store/admission/admission.ts";
import { createMemoryLimiter } from "../../src/store/memory/memory-limiter.ts";

/** Admission with limits in memory, at an instant that stands still. */
export function admissionAt(now: Date, keys: KeyStore): Admission {
  const clock = () => now;
  return createAdmission({ keys, limiter: createMemoryLimiter(clock), isBatched: () => false, clock });
}
