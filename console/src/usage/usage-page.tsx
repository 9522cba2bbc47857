import "../styles/usage.css";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link, useSearchParams } from "wouter";
import type { ApiKeyUsage } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { UsageService } from "../../../clients/typescript/src/gen/latchkey/v1/usage_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { useKeyNames } from "../requests/key-names.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Stale } from "../ui/loaded.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { useShown } from "../ui/use-shown.ts";
import { FirstRequest } from "./first-request.tsx";
import { lengthMs, type Period, usePeriod } from "./period.ts";
import { PeriodChoice } from "./period-choice.tsx";
import { refreshMs } from "./refresh.ts";
import { TopKeys } from "./top-keys.tsx";
import { type Counts, Totals } from "./totals.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { usesOf } from "./uses.ts";

/** How all keys of the tenant are used. */
export function UsagePage() {
  const [period, choosePeriod] = usePeriod();
  return (
    <>
      <PageHeader title="Usage">
        <PeriodChoice period={period} onChange={choosePeriod} />
      </PageHeader>
      <TenantUsage period={period} />
    </>
  );
}

function TenantUsage({ period }: { period: Period }) {
  const { from, step } = period;
  const [reason, chooseReason] = useReason();
  const { data, error, refetch, isPlaceholderData } = useQuery(
    UsageService.method.getUsage,
    { from, step },
    { refetchInterval: ({ state }) => refreshMs(state.data?.result), placeholderData: keepPreviousData },
  );
  const shown = useShown(period, isPlaceholderData);
  const { label } = shown;
  const earlier = { from: startBefore(shown), to: shown.from, step: shown.step };
  const before = useQuery(UsageService.method.getUsage, earlier);
  const uses = useMemo(() => usesOf(data?.series ?? []), [data]);
  if (data === undefined || (isPlaceholderData && error !== null)) {
    return error === null ? <Loading what="usage" /> : <Problem error={error} retry={refetch} />;
  }
  const counts = countsOf(data.result);
  if (counts.total === 0) return <NoUse label={label} />;
  return (
    <>
      <Stale error={error} retry={refetch} />
      <section className="card" aria-label={`Requests in the last ${label}`} aria-busy={isPlaceholderData}>
        <Totals {...counts} before={before.data && countsOf(before.data.result)} />
        <UsageChart uses={uses} unit={shown.step} reason={reason} onReason={chooseReason} />
      </section>
      <TopKeys period={period} reason={reason} onReason={chooseReason} />
    </>
  );
}

/** The reason of the page's address, whose keys are listed; empty: all keys are. */
function useReason(): readonly [string, (reason: string) => void] {
  const [params, setParams] = useSearchParams();
  const choose = (reason: string): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (reason === "") after.delete("reason");
        else after.set("reason", reason);
        return after;
      },
      { replace: true },
    );
  return [params.get("reason") ?? "", choose];
}

/** When the period before begins, which is as long. */
function startBefore({ from, step, steps }: Period): Timestamp {
  return timestampFromDate(new Date(timestampDate(from).getTime() - steps * lengthMs(step)));
}

function countsOf(usage: ApiKeyUsage | undefined): Counts {
  const { totalVerifications = 0, successfulVerifications = 0, failedVerifications = 0 } = usage ?? {};
  return { total: totalVerifications, successful: successfulVerifications, denied: failedVerifications };
}

function NoUse({ label }: { label: string }) {
  const { may } = useCaller();
  const { byId, isComplete } = useKeyNames();
  return (
    <EmptyState title={`No request with a key in the last ${label}`}>
      <FirstRequest />
      {may("api_keys:write") && isComplete && byId.size === 0 && (
        <p>
          You have no key yet? <Link href="/keys/new">Create one</Link>.
        </p>
      )}
    </EmptyState>
  );
}
