/** The name of a budget in Redis. The hash tag puts it into a slot of a cluster. */
export function budgetName(budgetId: string): string {
  return `lk:${hashTagOf(budgetId)}:rl:${budgetId}`;
}

/** One of some thousands. It decides the slot in a cluster. */
export function hashTagOf(budgetId: string): string {
  return `{${budgetId.slice(-2)}}`;
}

/** The name of the id of this Redis, beside the budgets. */
export const IDENTITY_NAME = "lk:identity";
