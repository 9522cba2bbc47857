/** Returns the current instant. Passed in, so that tests need not sleep. */
export type Clock = () => Date;

/**
 * The clock for the expiry of keys: that of the database, one for all replicas and never ahead of it. All code that sets,
 * reports or checks an expiry uses this clock.
 */
export type KeyClock = Clock;
