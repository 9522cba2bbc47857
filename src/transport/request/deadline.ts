/** Longer than any call takes by itself. */
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

/**
 * Removes the deadlines that Connect must not see: those that are far off, and what is no deadline.
 *
 * No call lasts as long as the far ones, and of more than 25 days, which no timer can wait, Connect would say that they
 * have passed. What is no deadline is refused in our own words (`protocol-headers.ts`).
 */
export function removeFarDeadlines(headers: Headers): void {
  const [, count = "", unit = ""] = GRPC_TIMEOUT.exec(headers.get("grpc-timeout") ?? "") ?? [];
  if (unit === "" || Number(count) * (UNIT_MS[unit] ?? 0) > DEADLINE_MS_MAX) headers.delete("grpc-timeout");
  const [ms = ""] = CONNECT_TIMEOUT.exec(headers.get("connect-timeout-ms") ?? "") ?? [];
  if (ms === "" || Number(ms) > DEADLINE_MS_MAX) headers.delete("connect-timeout-ms");
}
