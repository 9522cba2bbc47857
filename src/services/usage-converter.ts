import { create, fromJson, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type ListValue, ListValueSchema, type Timestamp } from "@bufbuild/protobuf/wkt";
import { UsageStepSchema } from "../../gen/latchkey/v1/usage_pb.ts";
import type { KeyUsage } from "../domain/credentials/key.ts";
import type { PeriodInput } from "../domain/usage/period.ts";
import type { SeriesStep } from "../domain/usage/series.ts";
import { toDate, toTimestamp } from "./dates.ts";

export interface PeriodFields {
  readonly from?: Timestamp | undefined;
  readonly to?: Timestamp | undefined;
  readonly step?: string | undefined;
}

export function fromPeriod({ from, to, step }: PeriodFields): PeriodInput {
  return { from: toDate(from), to: toDate(to), step: step ?? null };
}

export function toCounters({ total, successful, failed }: KeyUsage) {
  return { totalVerifications: total, successfulVerifications: successful, failedVerifications: failed };
}

export function toUsageStep({ from, successful, denied }: SeriesStep): MessageInitShape<typeof UsageStepSchema> {
  return { from: toTimestamp(from), successful, denied: Object.fromEntries(denied) };
}

/** A series as a member that may be absent: a list of messages could not be. */
export function toSeriesList(series: readonly SeriesStep[]): ListValue {
  const steps = series.map((step) => create(UsageStepSchema, toUsageStep(step)));
  return fromJson(
    ListValueSchema,
    steps.map((step) => toJson(UsageStepSchema, step, { alwaysEmitImplicit: true })),
  );
}
