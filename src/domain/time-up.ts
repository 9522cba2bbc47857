/** Waits for work until there is no time left, and answers undefined then. What fails later goes unheard. */
export async function before<T>(timeUp: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const { promise: noTime, resolve } = Promise.withResolvers<undefined>();
  const onTimeUp = (): void => resolve(undefined);
  timeUp.addEventListener("abort", onTimeUp);
  if (timeUp.aborted) onTimeUp();
  try {
    return await Promise.race([work, noTime]);
  } finally {
    timeUp.removeEventListener("abort", onTimeUp);
  }
}
