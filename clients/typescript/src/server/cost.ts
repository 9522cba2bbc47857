const COST_MAX = 1_000;

/** Throws a `TypeError` for what no request can count as. */
export function checkedCost(cost: number | undefined): number | undefined {
  if (cost !== undefined && !(Number.isInteger(cost) && cost >= 1 && cost <= COST_MAX))
    throw new TypeError(`cost must be an integer from 1 to ${COST_MAX}, not ${cost}`);
  return cost;
}
