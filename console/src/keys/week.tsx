import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import type { ApiKey } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import {
  type ListTopKeysResponse,
  UsageService,
} from "../../../clients/typescript/src/gen/latchkey/v1/usage_service_pb.ts";

const DAYS = 7;
const DAY_MS = 86_400_000;
const STALE_MS = 300_000;
/** As many as the service lists at once. */
const PER_PAGE = 100;

/** The requests of seven days of UTC by key, most first: one call for a whole list. */
export function useWeek(keys: readonly ApiKey[]): ListTopKeysResponse | undefined {
  const today = Math.floor(Date.now() / DAY_MS);
  const from = new Date((today - DAYS + 1) * DAY_MS);
  const { data } = useQuery(
    UsageService.method.listTopKeys,
    { from: timestampFromDate(from), perPage: PER_PAGE },
    { enabled: keys.some((key) => isUsedSince(key, from)), staleTime: STALE_MS, retry: false },
  );
  return data;
}

function isUsedSince({ lastUsedAt }: ApiKey, from: Date): boolean {
  return lastUsedAt !== undefined && timestampDate(lastUsedAt) >= from;
}

/** How often a key was used in seven days, and the denied part. Of keys that are not among the first 100: at most how often. */
export function WeekOf({ apiKey: key, week }: { apiKey: ApiKey; week: ListTopKeysResponse | undefined }) {
  const none = <span className="quiet small">No requests</span>;
  if (key.lastUsedAt === undefined) return none;
  if (week === undefined) return <span className="quiet small">–</span>;
  const uses = week.keys.find(({ keyId }) => keyId === key.keyId);
  const total = uses?.totalVerifications ?? 0;
  const last = week.keys.at(PER_PAGE - 1);
  if (total === 0) return last ? <span className="small">≤ {last.totalVerifications.toLocaleString("en")}</span> : none;
  const denied = uses?.failedVerifications ?? 0;
  const counts = `${total.toLocaleString("en")} requests in 7 days, ${denied.toLocaleString("en")} denied`;
  return (
    <span className="week" title={counts} role="img" aria-label={counts}>
      {total.toLocaleString("en")}
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect className="week-successful" width="100" height="1" />
        <rect className="week-denied" x={100 - (denied / total) * 100} width={(denied / total) * 100} height="1" />
      </svg>
    </span>
  );
}
