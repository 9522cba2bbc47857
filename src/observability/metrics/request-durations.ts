import type { Metric, Registry } from "prom-client";
import type { Outcome } from "../../transport/answer/answer-code.ts";

/** A histogram of how long requests took. */
export interface RequestDurations {
  /** `procedure` and `reason` are empty where there is none. */
  observe(procedure: string, outcome: Outcome, reason: string, seconds: number): void;
}

const NAME = "latchkey_request_duration_seconds";
const DESCRIPTION = {
  name: NAME,
  help: "Time from a request's headers to its answer, by RPC, HTTP status, code and reason of denial.",
  type: "histogram",
  aggregator: "sum",
} as const;
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What was observed under one set of labels. */
interface Series extends Outcome {
  readonly procedure: string;
  readonly reason: string;
  /** Each observation is counted in the first that takes it, and in none if it exceeds them all. */
  readonly buckets: readonly { readonly le: number; count: number }[];
  sum: number;
  count: number;
}

/**
 * Adds the histogram to a registry. Throws if that has one of the name.
 *
 * It is not prom-client's own, which checks the labels and makes a string of them at each observation: about 1 µs of
 * every request. What a registry shows of it is the same, byte for byte.
 */
export function createRequestDurations(registry: Registry): RequestDurations {
  /** In the order in which they are shown: that of their first observations. */
  const shown: Series[] = [];
  /** Each procedure has few, and most requests are of the first. */
  const byProcedure = new Map<string, Series[]>();

  function addSeries(procedure: string, { status, code }: Outcome, reason: string): Series {
    const buckets = BUCKETS_S.map((le) => ({ le, count: 0 }));
    const series = { procedure, status, code, reason, buckets, sum: 0, count: 0 };
    shown.push(series);
    byProcedure.set(procedure, [...(byProcedure.get(procedure) ?? []), series]);
    return series;
  }

  const metric = {
    ...DESCRIPTION,
    get: async () => ({ ...DESCRIPTION, values: shown.flatMap(samplesOf) }),
    reset() {
      shown.length = 0;
      byProcedure.clear();
    },
  };
  // A registry takes whatever has these members, but its type names prom-client's own classes alone.
  registry.registerMetric(metric as unknown as Metric);

  return {
    observe(procedure, outcome, reason, seconds) {
      const { status, code } = outcome;
      const known = byProcedure
        .get(procedure)
        ?.find((one) => one.status === status && one.code === code && one.reason === reason);
      const series = known ?? addSeries(procedure, outcome, reason);
      const bucket = series.buckets.find(({ le }) => seconds <= le);
      if (bucket !== undefined) bucket.count += 1;
      series.sum += seconds;
      series.count += 1;
    },
  };
}

/** A line of `/metrics` each. A bucket is shown with all that the ones before it took. */
function samplesOf({ procedure, status, code, reason, buckets, sum, count }: Series) {
  const labels = { procedure, status: String(status), code, denial_reason: reason };
  let taken = 0;
  return [
    ...buckets.map((bucket) => {
      taken += bucket.count;
      return { metricName: `${NAME}_bucket`, labels: { le: bucket.le, ...labels }, value: taken };
    }),
    { metricName: `${NAME}_bucket`, labels: { le: "+Inf", ...labels }, value: count },
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}
