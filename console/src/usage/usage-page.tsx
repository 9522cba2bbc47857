import "../styles/usage.css";
import { useQuery } from "@connectrpc/connect-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { UsageService } from "../../../clients/typescript/src/gen/latchkey/v1/usage_service_pb.ts";
import { useCaller } from "../api/caller.tsx";
import { Empty, Loading, Problem } from "../ui/states.tsx";
import { FirstRequest } from "./first-request.tsx";
import { type Period, usePeriod } from "./period.ts";
import { PeriodChoice } from "./period-choice.tsx";
import { refreshMs } from "./refresh.ts";
import { TopKeys } from "./top-keys.tsx";
import { Totals } from "./totals.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { usesOf } from "./uses.ts";

/** How all keys of the tenant are used. */
export function UsagePage() {
  const [period, choosePeriod] = usePeriod();
  return (
    <>
      <div className="heading">
        <h1>Usage</h1>
        <PeriodChoice period={period} onChange={choosePeriod} />
      </div>
      <TenantUsage period={period} />
    </>
  );
}

function TenantUsage({ period: { from, step, label } }: { period: Period }) {
  const { data, error, refetch } = useQuery(
    UsageService.method.getUsage,
    { from, step },
    { refetchInterval: ({ state }) => refreshMs(state.data?.result) },
  );
  const uses = useMemo(() => usesOf(data?.series ?? []), [data]);
  if (error !== null) return <Problem error={error} retry={refetch} />;
  if (data === undefined) return <Loading what="usage" />;
  const { totalVerifications = 0, successfulVerifications = 0, failedVerifications = 0 } = data.result ?? {};
  if (totalVerifications === 0) return <NoUse label={label} />;
  return (
    <>
      <section className="card" aria-label={`Requests in the last ${label}`}>
        <Totals total={totalVerifications} successful={successfulVerifications} denied={failedVerifications} />
        <UsageChart uses={uses} unit={step} />
      </section>
      <TopKeys from={from} label={label} />
    </>
  );
}

function NoUse({ label }: { label: string }) {
  const { may } = useCaller();
  return (
    <Empty title={`No request with a key in the last ${label}`}>
      <FirstRequest />
      {may("api_keys:write") && (
        <p>
          You have no key yet? <Link href="/keys">Create one</Link>.
        </p>
      )}
    </Empty>
  );
}
