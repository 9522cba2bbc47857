import type { Caps, RateLimit } from "../limits/caps.ts";
import { UNLIMITED_REQUESTS } from "../limits/decision.ts";
import type { Spending } from "../limits/limiter.ts";
import { isJsonObject } from "../vocabulary/json-object.ts";
import { invalid } from "../vocabulary/request-fault.ts";
import { type Check, isText, readAs } from "./members.ts";

/** The budget of a key, as an edge names it. */
export interface AskedBudget {
  readonly budgetId: string;
  readonly limit: RateLimit;
}

/** Ids of keys. */
const BUDGET_ID = /^[\w-]{1,64}$/;
/** The most that one request counts as. */
const COST_MAX = 1_000;

const isFrom =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const CAPS: Readonly<Record<keyof Caps, Check>> = {
  requestsPerMinute: isFrom(0, UNLIMITED_REQUESTS),
  requestsPerHour: isFrom(0, UNLIMITED_REQUESTS),
  burstSize: isFrom(0, UNLIMITED_REQUESTS),
};
const LIMIT: Readonly<Record<keyof RateLimit, Check>> = {
  ...CAPS,
  perUser: isOptional(
    (value) => isJsonObject(value) && Object.entries(CAPS).every(([name, check]) => check(value[name])),
  ),
};
const SPENDING: Readonly<Record<keyof Spending, Check>> = {
  cost: isOptional(isFrom(1, COST_MAX)),
  user: isOptional(isText),
  tenant: isOptional(isText),
  isShared: isOptional((value) => typeof value === "boolean"),
};

/** Throws `RequestFault`. */
export function readBudget(budgetId: string, limit: string): AskedBudget {
  if (!BUDGET_ID.test(budgetId)) throw invalid("budget_id", "must be the identifier of a key");
  return { budgetId, limit: readAs<RateLimit>(limit, "limit", LIMIT) };
}

/** What a request spends. Throws `RequestFault`: a cost below 1 would fill the budget. */
export function readSpending(text: string): Spending {
  return readAs<Spending>(text, "spending", SPENDING);
}

/** At most so many requests are asked for. Throws `RequestFault`. */
export function checkMost(most: number): void {
  if (most < 0) throw invalid("most", "must not be negative");
}
