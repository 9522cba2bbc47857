import type { UsagePeriod } from "./period.ts";
import type { UsageHistory } from "./usage-store.ts";
import type { KeyTotals } from "./uses.ts";

const KEYS_DEFAULT = 10;
/** Maximum number of keys of a list; a larger number is lowered to it. */
const KEYS_MAX = 100;

/** The keys of a tenant with the most uses, highest first. `asked` 0: ten of them. `reason` empty: all uses; else those denied for it. */
export function topKeys(
  history: Pick<UsageHistory, "readTopKeys">,
  tenantId: string,
  period: UsagePeriod,
  asked: number,
  reason = "",
): Promise<readonly KeyTotals[]> {
  return history.readTopKeys(tenantId, period, Math.min(asked || KEYS_DEFAULT, KEYS_MAX), reason);
}
