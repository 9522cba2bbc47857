/** Resolves after `ms`, or once the signal is aborted. Never rejects. */
export function pause(ms: number, ended: AbortSignal): Promise<void> {
  if (ended.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      ended.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    ended.addEventListener("abort", end);
  });
}
