/** The current instant. Passed in, so that tests need not sleep. */
export type Clock = () => Date;

/**
 * The clock by which keys end: that of Redis, one for all replicas and never ahead of it, or this process' own where
 * there is no Redis or it is away. Whoever sets, tells or judges when a key ends goes by it.
 */
export type KeyClock = () => Promise<Clock>;
