/**
 * A value, or the promise of one. A value in memory is returned without a promise: each costs every request that waits for
 * it a turn of the microtask queue and its garbage.
 */
export type Awaitable<Value> = Value | Promise<Value>;

/** Goes on with a value: at once if it is in memory. `failed` gets the error of a promise. */
export function after<Value, Next>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Next>,
  failed?: (err: unknown) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(next, failed) : next(value);
}
