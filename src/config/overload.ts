import type { Reader } from "./reader.ts";
import type { OverloadLimits } from "./settings.ts";

const MIB = 1_048_576;

/** Defaults and bounds of what one process serves at once. 0 switches each bound off, except that of the burst, which ends with the wait. */
export function readOverload(reader: Reader): OverloadLimits {
  return {
    waitMsMax: reader.integer("OVERLOAD_WAIT_MS", 0, 60_000) ?? 250,
    burstMs: reader.integer("OVERLOAD_BURST_MS", 100, 60_000) ?? 1_000,
    requestsMax: reader.integer("REQUESTS_AT_ONCE_MAX", 0, 1_000_000) ?? 10_000,
    connectionsPerAddressMax: reader.integer("CONNECTIONS_PER_ADDRESS_MAX", 0, 1_000_000) ?? 10_000,
    bodyBytesMax: (reader.integer("BODY_MIB_AT_ONCE_MAX", 0, 65_536) ?? 128) * MIB,
  };
}
