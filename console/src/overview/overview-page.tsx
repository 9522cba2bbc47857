import "../styles/overview.css";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { Link } from "wouter";
import { KeyStatus } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_pb.ts";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { UsageService } from "../../../clients/typescript/src/gen/latchkey/v1/usage_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Card } from "../ui/card.tsx";
import { Loaded, Stale } from "../ui/loaded.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { lengthMs } from "../usage/period.ts";
import { refreshMs } from "../usage/refresh.ts";
import { usesOf } from "../usage/uses.ts";
import { Attention } from "./attention.tsx";
import { Figures } from "./figures.tsx";

const HOURS = 24;
/** As the list of keys names the order. */
const LATEST_USE_FIRST = "last_used_at";
/** While the first key is waited for. */
const FIRST_MS = 5_000;

/** Loaded by itself: what the page says comes first. */
const UsageChart = lazy(async () => ({ default: (await import("../usage/usage-chart.tsx")).UsageChart }));

/** Only for new organizations. */
const Checklist = lazy(async () => ({ default: (await import("./checklist.tsx")).Checklist }));

/** How the organization is doing: its keys, a day's requests, and what needs attention. */
export function OverviewPage() {
  const { may } = useCaller();
  const keys = useQuery(
    ApiKeyService.method.listApiKeys,
    { perPage: 1, sort: LATEST_USE_FIRST },
    { refetchInterval: ({ state }) => (state.data?.pagination?.total === 0 ? FIRST_MS : false) },
  );
  const active = useQuery(ApiKeyService.method.listApiKeys, { perPage: 1, status: KeyStatus.ACTIVE });
  const [today, before] = useDays();
  const mayReadUsage = may("usage:read");
  const usage = useQuery(UsageService.method.getUsage, today, {
    enabled: mayReadUsage,
    refetchInterval: ({ state }) => refreshMs(state.data?.result),
  });
  const usageBefore = useQuery(UsageService.method.getUsage, before, { enabled: mayReadUsage });
  const uses = useMemo(() => usesOf(usage.data?.series ?? []), [usage.data]);
  const total = keys.data?.pagination?.total;
  const requests = usage.data?.result?.totalVerifications;
  const [latestUsed] = keys.data?.keys ?? [];
  const isUsed = (requests ?? 0) > 0 || latestUsed?.lastUsedAt !== undefined;
  const isNew = total !== undefined && requests !== undefined && !(total > 0 && isUsed);
  const [wasNew, setWasNew] = useState(false);
  // The list stays as it was when the page opened, so that its last step is seen to be done.
  if (isNew && !wasNew) setWasNew(true);
  return (
    <>
      <PageHeader title="Overview">
        {may("api_keys:write") && total !== undefined && total > 0 && (
          <Link className="button button-main" href="/keys/new">
            Create key
          </Link>
        )}
      </PageHeader>
      <Stale error={keys.error} retry={keys.refetch} />
      {wasNew && (
        <Suspense fallback={<Skeleton what="the first steps" kind="card" rows={4} />}>
          <Checklist hasKey={(total ?? 0) > 0} isUsed={isUsed} />
        </Suspense>
      )}
      {mayReadUsage && (
        <Loaded query={usage} what="the figures" skeleton={<Skeleton what="the figures" kind="card" rows={2} />}>
          {({ result }) => (
            <>
              <Figures
                keys={total}
                activeKeys={active.data?.pagination?.total}
                usage={result}
                before={usageBefore.data?.result}
              />
              {(requests ?? 0) > 0 && (
                <Card
                  title={`Requests in the last ${HOURS} hours`}
                  actions={
                    <Link className="small" href="/usage">
                      Usage
                    </Link>
                  }
                >
                  <Suspense fallback={<Skeleton what="the chart" rows={5} />}>
                    <UsageChart uses={uses} unit="hour" isBrief />
                  </Suspense>
                </Card>
              )}
            </>
          )}
        </Loaded>
      )}
      {total !== undefined && total > 0 && <Attention uses={uses} />}
    </>
  );
}

/** The last 24 hours and those before, as requests name them; the same until an hour is over. */
function useDays() {
  const hour = Math.floor(Date.now() / lengthMs("hour"));
  return useMemo(() => {
    const at = (hoursAgo: number) => timestampFromDate(new Date((hour - hoursAgo + 1) * lengthMs("hour")));
    const from = at(HOURS);
    return [
      { from, step: "hour" },
      { from: at(2 * HOURS), to: from, step: "hour" },
    ] as const;
  }, [hour]);
}
