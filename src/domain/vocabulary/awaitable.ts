/**
 * A value, or the promise of one. A value in memory is returned without a promise: each costs every request that waits for
 * it a turn of the microtask queue and its garbage.
 */
export type Awaitable<Value> = Value | Promise<Value>;
