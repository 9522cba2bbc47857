/** Requests and connections without a bound, for tests of something else. */
export const NO_BOUNDS = {
  ...{ waitMsMax: 0, burstMs: 1_000, requestsMax: 0 },
  ...{ connectionsPerAddressMax: 0, bodyBytesMax: 0 },
};

/** The same, for a front door. */
export const NOTHING_SHED = { ...NO_BOUNDS, onShed: (): void => {}, random: () => 0 };
