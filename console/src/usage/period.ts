import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { useMemo } from "react";
import { useSearchParams } from "wouter";

const LENGTHS = { hour: 3_600_000, day: 86_400_000 } as const;

/** The length of a step: an hour or a day of UTC. */
export type Unit = keyof typeof LENGTHS;

export const PERIODS = [
  { name: "24h", label: "24 hours", step: "hour", steps: 24 },
  { name: "7d", label: "7 days", step: "hour", steps: 168 },
  { name: "30d", label: "30 days", step: "day", steps: 30 },
  { name: "90d", label: "90 days", step: "day", steps: 90 },
] as const;

type Choice = (typeof PERIODS)[number];

/** Ms of a step. */
export function lengthMs(unit: Unit): number {
  return LENGTHS[unit];
}

/** A period that ends now. */
export interface Period {
  readonly name: Choice["name"];
  /** Such as `24 hours`. */
  readonly label: string;
  readonly step: Unit;
  readonly steps: number;
  /** When its first step begins; the same until the next step begins. */
  readonly from: Timestamp;
}

/** The period of the page's address, and a function that changes both. */
export function usePeriod(): readonly [Period, (name: Choice["name"]) => void] {
  const [params, setParams] = useSearchParams();
  const chosen = PERIODS.find(({ name }) => name === params.get("period")) ?? PERIODS[0];
  const { step, steps } = chosen;
  const length = LENGTHS[step];
  const current = Math.floor(Date.now() / length);
  const from = useMemo(() => timestampFromDate(new Date((current - steps + 1) * length)), [current, steps, length]);
  const choose = (name: Choice["name"]): void =>
    setParams((before) => {
      const after = new URLSearchParams(before);
      after.set("period", name);
      return after;
    });
  return [{ ...chosen, from }, choose];
}
