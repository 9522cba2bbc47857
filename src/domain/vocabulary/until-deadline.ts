/** Waits for `work`, but returns undefined when `deadline` is aborted first. Later rejections of `work` are ignored. */
export async function untilDeadline<T>(work: Promise<T>, deadline: AbortSignal): Promise<T | undefined> {
  const { promise: expired, resolve } = Promise.withResolvers<undefined>();
  const onDeadline = (): void => resolve(undefined);
  deadline.addEventListener("abort", onDeadline);
  if (deadline.aborted) onDeadline();
  try {
    return await Promise.race([work, expired]);
  } finally {
    deadline.removeEventListener("abort", onDeadline);
  }
}
