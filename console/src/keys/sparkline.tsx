import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { deniedIn, usesIn } from "../usage/uses.ts";
import { atMost } from "./at-most.ts";

const DAYS = 7;
const DAY_MS = 86_400_000;
const STALE_MS = 300_000;
/** Of the drawing, in its own units. */
const WIDTH = 70;
const HEIGHT = 22;
const BAR = 8;
const LEAST = 1.5;
/** A tenant's lists take turns in the service: fifty rows at once would hold up the page's other calls. */
const inTurn = atMost(3);

/** A key's requests of seven days of UTC, a bar for each, with the denied part on top. `isUsed`: whether there is one to load. */
export function Sparkline({ keyId, isUsed }: { keyId: string; isUsed: boolean }) {
  const transport = useTransport();
  const today = Math.floor(Date.now() / DAY_MS);
  const from = timestampFromDate(new Date((today - DAYS + 1) * DAY_MS));
  const { data } = useQuery({
    queryKey: ["sparkline", keyId, today],
    queryFn: ({ signal }) =>
      inTurn(() =>
        callUnaryMethod(transport, ApiKeyService.method.getApiKeyUsage, { keyId, from, step: "day" }, { signal }),
      ),
    enabled: isUsed,
    staleTime: STALE_MS,
    retry: false,
  });
  const days = usesIn(data?.series).map((uses) => ({ successful: uses.successful, denied: deniedIn(uses) }));
  const total = days.reduce((sum, { successful, denied }) => sum + successful + denied, 0);
  const most = Math.max(1, ...days.map(({ successful, denied }) => successful + denied));
  if (!isUsed) return <span className="quiet sparkline-none">No requests</span>;
  const name = data === undefined ? "Loading requests" : `${total.toLocaleString("en")} requests in 7 days`;
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={name}>
      {days.map(({ successful, denied }, day) => {
        const all = successful + denied;
        const height = all === 0 ? LEAST : Math.max(LEAST + 1, (all / most) * HEIGHT);
        const top = all === 0 ? 0 : (denied / all) * height;
        const x = day * (WIDTH / DAYS) + 1;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its day
          <g key={day}>
            <rect
              className={all === 0 ? "bar-none" : "bar"}
              x={x}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              rx="1"
            />
            {top > 0 && <rect className="bar-denied" x={x} y={HEIGHT - height} width={BAR} height={top} rx="1" />}
          </g>
        );
      })}
    </svg>
  );
}
