import type { KeyUsage } from "../keys/key.ts";
import { getKey } from "../keys/read.ts";
import type { Clock } from "../ports/clock.ts";
import type { KeyStore } from "../ports/keys.ts";
import type { UsageHistory, UsageRecorder } from "../ports/usage.ts";
import { type PeriodInput, usagePeriod } from "./period.ts";
import { type SeriesStep, seriesOf, totalsOf } from "./series.ts";

export interface Usage {
  readonly usage: KeyUsage;
  readonly series: readonly SeriesStep[];
}

export interface UsageContext {
  readonly history: UsageHistory;
  /** The clock by which uses have their times. */
  readonly keyClock: Clock;
}

/**
 * All that was counted of a key, and its uses in a period: with every request whose response any replica has sent. Throws
 * `RequestFault` for a period that cannot be, and for a key that the tenant does not have.
 */
export async function getKeySeries(
  ctx: UsageContext & { readonly keys: KeyStore; readonly usage: UsageRecorder },
  tenantId: string,
  keyId: string,
  input: PeriodInput,
): Promise<Usage> {
  usagePeriod(input, ctx.keyClock());
  await getKey(ctx, tenantId, keyId);
  await ctx.usage.collect(keyId);
  // By the clock of now: the hour may have ended meanwhile.
  const period = usagePeriod(input, ctx.keyClock());
  const { usage, uses } = await ctx.history.readKey(tenantId, keyId, period);
  return { usage, series: seriesOf(period, uses) };
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
