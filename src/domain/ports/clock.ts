/** Returns the current instant. Passed in, so that tests need not sleep. */
export type Clock = () => Date;

/**
 * The clock for the expiry of keys: that of Redis, one for all replicas and never ahead of it, or the process's own
 * without Redis or while Redis is unavailable. All code that sets, reports or checks an expiry uses this clock.
 */
export type KeyClock = () => Promise<Clock>;
