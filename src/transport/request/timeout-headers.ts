import type { Incoming } from "./exchange.ts";

/** Longer than any call takes without a deadline. */
const DEADLINE_MS_MAX = 60_000;
const GRPC_TIMEOUT = /^(\d{1,8})([HMSmun])$/;
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 };
const CONNECT_TIMEOUT = /^\d{1,10}$/;

export function isGrpcTimeout(value: string): boolean {
  return GRPC_TIMEOUT.test(value);
}

export function isConnectTimeout(value: string): boolean {
  return CONNECT_TIMEOUT.test(value);
}

/** The ms of a valid deadline that can end a call. */
export function connectTimeoutMs(value: string): number | undefined {
  return isConnectTimeout(value) && Number(value) <= DEADLINE_MS_MAX ? Number(value) : undefined;
}

/** The ms that a call's client waits, by its own word. Infinity: it says nothing, or nothing that is valid. */
export function clientTimeoutMs({ headers }: Pick<Incoming, "headers">): number {
  const { "grpc-timeout": grpc, "connect-timeout-ms": connect = "" } = headers;
  if (grpc !== undefined) return grpcTimeoutMs(String(grpc)) ?? Number.POSITIVE_INFINITY;
  return isConnectTimeout(String(connect)) ? Number(connect) : Number.POSITIVE_INFINITY;
}

/**
 * Removes the headers of deadlines that Connect must not see: those beyond 60 s, and invalid ones.
 *
 * No call lasts beyond 60 s. No timer can wait for more than 25 days, so Connect would report that such a deadline has
 * passed. `protocol-headers.ts` rejects invalid values with our own message.
 */
export function removeFarDeadlines(headers: Headers): void {
  const grpcMs = grpcTimeoutMs(headers.get("grpc-timeout") ?? "");
  if (grpcMs === undefined || grpcMs > DEADLINE_MS_MAX) headers.delete("grpc-timeout");
  if (connectTimeoutMs(headers.get("connect-timeout-ms") ?? "") === undefined) headers.delete("connect-timeout-ms");
}

/** Undefined: it is invalid. */
function grpcTimeoutMs(value: string): number | undefined {
  const [, count, unit = ""] = GRPC_TIMEOUT.exec(value) ?? [];
  return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] ?? 0);
}
