import { Denial } from "../../domain/vocabulary/denial.ts";
import { StoreUnavailable } from "../../domain/vocabulary/store-unavailable.ts";

/** Throws the denial of a failed look-up, which says nothing about the credentials: neither 401 nor 200 is sent. Its cause is logged. */
export function failLookUp(err: unknown): never {
  if (err instanceof Denial) throw err;
  const retryAfterMs = err instanceof StoreUnavailable ? err.retryAfterMs : 0;
  throw new Denial("verifier_error", { cause: err, retryAfterMs });
}
