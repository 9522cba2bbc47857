import type { SpawnOptions } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { openCalibration } from "./calibration.ts";
import { type CountedRun, runCounted } from "./counted-run.ts";

const CALIBRATE_MS = 60_000;
/** Beyond it the machine changed too much during a run for its units to be compared. */
const SPREAD_MAX = 0.25;

export interface MeasuredRun extends CountedRun {
  /** CPU seconds in calibrations, so that machines can be compared. */
  readonly units: number;
  /** How far the calibrations are apart, of their median. */
  readonly spread: number;
  readonly isSteady: boolean;
}

/** Runs a command, and calibrates before, after and once a minute. */
export async function measure(command: readonly string[], options: SpawnOptions): Promise<MeasuredRun> {
  const calibration = await openCalibration();
  try {
    const costs = [await calibration.run()];
    const ended = new AbortController();
    const counted = runCounted(command, options).finally(() => ended.abort());
    while (await lasts(CALIBRATE_MS, ended.signal)) costs.push(await calibration.run());
    const run = await counted;
    costs.push(await calibration.run());
    return { ...run, ...inUnits(run.cpuSeconds, costs) };
  } finally {
    await calibration.close();
  }
}

export function inUnits(
  cpuSeconds: number,
  costs: readonly number[],
): Pick<MeasuredRun, "units" | "spread" | "isSteady"> {
  const unit = costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? Number.NaN;
  const spread = (Math.max(...costs) - Math.min(...costs)) / unit;
  return { units: Math.round(cpuSeconds / unit), spread, isSteady: spread <= SPREAD_MAX };
}

/** False as soon as the signal is. */
function lasts(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}
