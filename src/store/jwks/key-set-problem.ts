import { FetchesExhausted, FetchRefused } from "../http/guarded-client.ts";
import { InvalidKeySet } from "./key-set.ts";

/** Why a key set could not be fetched: one of a few phrases without a host, an address or text from the provider. */
export function keySetProblem(err: unknown): string {
  if (err instanceof FetchRefused) return err.message;
  if (err instanceof InvalidKeySet) return err.message;
  if (err instanceof FetchesExhausted) return "too many documents of providers are being fetched";
  if (isNamed(err, "TimeoutError", "ConnectTimeoutError")) return "the host does not answer in time";
  return "the connection is refused or breaks off";
}

function isNamed(err: unknown, ...names: readonly string[]): boolean {
  return err instanceof Error && names.includes(err.name);
}
