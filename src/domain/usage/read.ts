import type { KeyUsage } from "../credentials/key.ts";
import type { Clock } from "../vocabulary/clock.ts";
import { type PeriodInput, usagePeriod } from "./period.ts";
import { type SeriesStep, seriesOf, totalsOf } from "./series.ts";
import type { UsageHistory } from "./usage-store.ts";

export interface Usage {
  readonly usage: KeyUsage;
  readonly series: readonly SeriesStep[];
}

export interface UsageContext {
  readonly history: UsageHistory;
  /** The clock by which uses have their times. */
  readonly keyClock: Clock;
}

/** The uses of all keys of a tenant in a period, as far as replicas have stored them: usually up to a second ago. */
export async function getTenantUsage(
  { history, keyClock }: UsageContext,
  tenantId: string,
  input: PeriodInput,
): Promise<Usage> {
  const period = usagePeriod(input, keyClock());
  const uses = await history.readTenant(tenantId, period);
  return { usage: totalsOf(uses), series: seriesOf(period, uses) };
}
