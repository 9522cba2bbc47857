import { fromJson, toJson } from "@bufbuild/protobuf";
import { type ListValue, timestampDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import { type UsageStep, UsageStepSchema } from "../../../clients/typescript/src/gen/latchkey/v1/usage_pb.ts";

/** The requests of one hour or day of UTC. */
export interface Uses {
  readonly from: Date;
  readonly successful: number;
  /** By reason; one that did not occur is absent. */
  readonly denied: Readonly<Record<string, number>>;
}

/** The sums of a period. */
export interface Sums {
  readonly successful: number;
  readonly denied: number;
  /** Most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
}

export function usesOf(steps: readonly UsageStep[]): Uses[] {
  return steps.map(({ from, successful, denied }) => {
    if (from === undefined) throw new Error("A step of the service has no time.");
    return { from: timestampDate(from), successful, denied };
  });
}

/** Of a response in which the series may be absent, and therefore is a list of any values. */
export function usesIn(series: ListValue | undefined): Uses[] {
  const steps = series?.values.map((value) =>
    fromJson(UsageStepSchema, toJson(ValueSchema, value), { ignoreUnknownFields: true }),
  );
  return usesOf(steps ?? []);
}

export function deniedIn({ denied }: Uses): number {
  return Object.values(denied).reduce((sum, count) => sum + count, 0);
}

export function sumsOf(uses: readonly Uses[]): Sums {
  const counts = new Map<string, number>();
  for (const { denied } of uses) {
    for (const [reason, count] of Object.entries(denied)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  }
  const reasons = [...counts].map(([reason, count]) => ({ reason, count }));
  return {
    successful: uses.reduce((sum, { successful }) => sum + successful, 0),
    denied: reasons.reduce((sum, { count }) => sum + count, 0),
    reasons: reasons.sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason)),
  };
}
