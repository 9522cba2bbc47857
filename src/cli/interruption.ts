/**
 * Does work that ends early, in good order, when its signal aborts: at Ctrl-C or SIGTERM. A second one ends the process. Throws if
 * the work was interrupted.
 */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  try {
    await work(interruption.signal);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupt);
  }
  if (interruption.signal.aborted) throw new Error("interrupted; run the same command again");
}
