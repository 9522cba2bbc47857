import "../styles/usage.css";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { ApiKeyService } from "../../../clients/typescript/src/gen/latchkey/v1/api_key_service_pb.ts";
import { Stale } from "../ui/loaded.tsx";
import { Loading, Problem } from "../ui/states.tsx";
import { useShown } from "../ui/use-shown.ts";
import { usePeriod } from "./period.ts";
import { PeriodChoice } from "./period-choice.tsx";
import { refreshMs } from "./refresh.ts";
import { Totals } from "./totals.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { usesIn } from "./uses.ts";

/** How one key is used: its counters since it was created, and a period. The section of a page. `unused`: below that it was not. */
export function KeyUsage({ keyId, unused }: { keyId: string; unused: ReactNode }) {
  const [period, choosePeriod] = usePeriod();
  const { from, step } = period;
  const { data, error, refetch, isPlaceholderData } = useQuery(
    ApiKeyService.method.getApiKeyUsage,
    { keyId, from, step },
    { refetchInterval: ({ state }) => refreshMs(state.data?.result), placeholderData: keepPreviousData },
  );
  const shown = useShown(period, isPlaceholderData);
  const uses = useMemo(() => usesIn(data?.series), [data]);
  const { totalVerifications = 0, successfulVerifications = 0, failedVerifications = 0 } = data?.result ?? {};
  return (
    <section className="card" aria-labelledby="key-usage" aria-busy={isPlaceholderData}>
      <div className="heading">
        <h2 id="key-usage">Usage</h2>
        {(data === undefined || totalVerifications > 0) && <PeriodChoice period={period} onChange={choosePeriod} />}
      </div>
      {data === undefined && error !== null && <Problem error={error} retry={refetch} />}
      {data !== undefined && <Stale error={error} retry={refetch} />}
      {data === undefined && error === null && <Loading what="usage" />}
      {data !== undefined && totalVerifications === 0 && (
        <>
          <p>This key has not been used yet.</p>
          {unused}
        </>
      )}
      {totalVerifications > 0 && (
        <>
          <p className="hint">Since the key was created:</p>
          <Totals total={totalVerifications} successful={successfulVerifications} denied={failedVerifications} />
          <p className="hint">In the last {shown.label}:</p>
          <UsageChart uses={uses} unit={shown.step} />
        </>
      )}
    </section>
  );
}
