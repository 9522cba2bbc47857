/**
 * A value, or the promise of one. A value in memory is returned without a promise: each costs every request that waits for
 * it a turn of the microtask queue and its garbage.
 */
export type Awaitable<Value> = Value | Promise<Value>;

/**
 * Goes on with a value: at once if it is in memory. `state` is handed on, so that a function that needs it can be made once, and not for
 * each request. `failed` gets the error of a promise.
 */
export function after<Value, Next, State = undefined>(
  value: Awaitable<Value>,
  next: (value: Value, state: State) => Awaitable<Next>,
  state: State = undefined as State,
  failed?: (err: unknown, state: State) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? later(value, next, state, failed) : next(value, state);
}

/** Apart, because a function with closures allocates for them whenever it is called. */
function later<Value, Next, State>(
  value: Promise<Value>,
  next: (value: Value, state: State) => Awaitable<Next>,
  state: State,
  failed: ((err: unknown, state: State) => Awaitable<Next>) | undefined,
): Promise<Next> {
  return value.then((known) => next(known, state), failed && ((err) => failed(err, state)));
}
