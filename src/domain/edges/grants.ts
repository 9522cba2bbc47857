import type { Caps } from "../limits/caps.ts";
import { type GivenBack, NEVER_GIVEN_BACK, type Slice } from "../limits/limiter.ts";

/** From which budget a slice was taken, and how. */
export interface SlicedBudget {
  readonly budgetId: string;
  readonly limit: Caps;
  readonly isShared: boolean;
}

/** The grants of one stream, without those that it has given back. */
export interface Grants {
  add(budget: SlicedBudget, slice: Pick<Slice, "granted" | "lifeMs" | "takenAtMs">): void;
  /**
   * How many of the requests that are to be given back this stream was granted, from this budget under this limit and in the
   * windows that counted that slice. They cannot be given back again.
   */
  redeem(budget: SlicedBudget, returned: Pick<GivenBack, "unspent" | "takenAtMs">): number;
}

/** Slices that the same windows have counted: they end together. */
interface Granted {
  readonly endMs: number;
  /** When the first and the last of them was taken. */
  readonly firstMs: number;
  lastMs: number;
  left: number;
}

/** Budgets from which a stream has taken a slice last: as many as those of which an edge holds one. */
const BUDGETS_MAX = 50_000;
/** Of one budget. An edge gives a slice back when its window has ended, so an earlier one has nothing left. */
const WINDOWS_MAX = 4;
/** After the end of its windows, in which an edge gives back what is left. */
const KEPT_MS = 60_000;

/**
 * Bounds what an edge can give back by what it was granted, in some 300 bytes for each budget. Where a grant is not remembered any
 * more, its requests stay counted.
 *
 * All slices of one window are one number: an edge does not say which of them it has spent.
 */
export function createGrants(budgetsMax = BUDGETS_MAX): Grants {
  /** The budget that was granted last is last. */
  const budgets = new Map<string, Granted[]>();

  function forget(nowMs: number): void {
    for (const [place, granted] of budgets) {
      const endMs = granted.at(-1)?.endMs ?? 0;
      if (budgets.size <= budgetsMax && nowMs < endMs + KEPT_MS) return;
      budgets.delete(place);
    }
  }

  return {
    add(budget, { granted, lifeMs, takenAtMs }) {
      if (granted === 0 || takenAtMs === NEVER_GIVEN_BACK) return;
      const place = placeOf(budget);
      const windows = budgets.get(place) ?? [];
      const endMs = takenAtMs + lifeMs;
      const same = windows.find((window) => window.endMs === endMs);
      if (same === undefined) windows.push({ endMs, firstMs: takenAtMs, lastMs: takenAtMs, left: granted });
      else {
        same.lastMs = Math.max(same.lastMs, takenAtMs);
        same.left += granted;
      }
      if (windows.length > WINDOWS_MAX) windows.shift();
      budgets.delete(place);
      budgets.set(place, windows);
      forget(takenAtMs);
    },
    redeem(budget, { unspent, takenAtMs }) {
      const windows = budgets.get(placeOf(budget)) ?? [];
      const counted = windows.findLast(({ firstMs, lastMs }) => firstMs <= takenAtMs && takenAtMs <= lastMs);
      if (counted === undefined || unspent <= 0) return 0;
      const redeemed = Math.min(unspent, counted.left);
      counted.left -= redeemed;
      return redeemed;
    },
  };
}

/** Under another limit, other windows count. */
function placeOf({ budgetId, limit, isShared }: SlicedBudget): string {
  const { requestsPerMinute, requestsPerHour, burstSize } = limit;
  return [budgetId, requestsPerMinute, requestsPerHour, burstSize, isShared].join(" ");
}
