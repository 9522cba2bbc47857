import { vi } from "vitest";

/** Waits as long as `expect.poll`, also in hooks and in tests that run at once, of which that knows nothing. */
export function eventually<T>(assertion: () => Promise<T>): Promise<T> {
  return vi.waitFor(assertion, { timeout: 60_000, interval: 50 });
}
