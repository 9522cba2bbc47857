/** The longest delay of a timer. With a longer one, it fires at once. */
export const TIMER_MS_MAX = 2_147_483_647;

/** Throws a `TypeError` for a time that a timer would take for another. */
export function checkTimeout(timeoutMs: number, min: 0 | 1): void {
  if (Number.isFinite(timeoutMs) && timeoutMs >= min && timeoutMs <= TIMER_MS_MAX) return;
  throw new TypeError(`timeoutMs must be a number of milliseconds from ${min} to ${TIMER_MS_MAX}`);
}
