import type { Server } from "./server.ts";

/** At this path a server with one Redis command for each request reports the durations since the last report. */
export const ROUND_TRIPS_PATH = "/round-trips";

/** Of a server that waits for nothing else: from the command to its reply, its turn in the event loop included. */
export interface RoundTrips {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function takeRoundTrips({ port }: Server): Promise<RoundTrips> {
  const response = await fetch(`http://127.0.0.1:${port}${ROUND_TRIPS_PATH}`);
  return (await response.json()) as RoundTrips;
}
