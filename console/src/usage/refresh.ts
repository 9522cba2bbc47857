import type { ApiKeyUsage } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";

const REFRESH_MS = 30_000;
/** While users may wait for the first request that they made. */
const FIRST_MS = 3_000;

/** Ms until usage is loaded again. */
export function refreshMs(usage: ApiKeyUsage | undefined): number {
  return usage?.totalVerifications === 0 ? FIRST_MS : REFRESH_MS;
}
