/** All names that we use in Redis begin so. */
export const KEY_PREFIX = "lk:";

/** The name of a budget in Redis. The hash tag puts it into a slot of a cluster. */
export function budgetName(budgetId: string): string {
  return `${KEY_PREFIX}${hashTagOf(budgetId)}:rl:${budgetId}`;
}

/** The name of a user's budget under a key, in the slot of the key's, since one script spends from both. */
export function userBudgetName(budgetId: string, user: string): string {
  return `${budgetName(budgetId)}:${user}`;
}

/** The name of the window that counts the users of a key. No user's id is as short as its end. */
export function usersName(budgetId: string): string {
  return `${budgetName(budgetId)}:users`;
}

/**
 * The name of the window that counts the users of a tenant's keys: in a cluster those of one hash tag, since no script can
 * use two slots. `hashTag` is empty where there is no cluster.
 */
export function tenantUsersName(hashTag: string, tenant: string): string {
  return `${KEY_PREFIX}${hashTag}${hashTag === "" ? "" : ":"}users:${tenant}`;
}

/** One of some thousands. It decides the slot in a cluster. */
export function hashTagOf(budgetId: string): string {
  return `{${budgetId.slice(-2)}}`;
}

/** The name of how far the history of a database goes. Several databases may share a Redis. */
export function historyName(database: string): string {
  return `${KEY_PREFIX}history:{${database}}`;
}

/** The name of the id of this Redis, beside the budgets. */
export const IDENTITY_NAME = `${KEY_PREFIX}identity`;
