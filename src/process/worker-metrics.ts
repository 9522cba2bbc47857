import { sendToSupervisor, type ToWorker, unmarked } from "./worker-messages.ts";

/** How long a scrape waits for the supervisor. */
const WAIT_MS = 3_000;

/**
 * For a worker: sends its metrics to the supervisor when that asks, and returns the function for a scrape, which asks the
 * supervisor for those of all workers. Rejects if there is no reply within 3 s: metrics of one worker alone would look as if
 * counters had gone down.
 */
export function shareMetrics(own: { getMetricsAsJSON(): Promise<unknown> }): () => Promise<string> {
  const waiting = new Map<number, (text: string) => void>();
  let scrapes = 0;
  process.on("message", (sent) => {
    const message = unmarked<ToWorker>(sent);
    if (message?.kind === "metrics") waiting.get(message.id)?.(message.text);
    if (message?.kind !== "report") return;
    const { id } = message;
    // If they cannot be read, the supervisor goes on without them.
    own.getMetricsAsJSON().then(
      (report) => sendToSupervisor({ kind: "report", id, report }),
      () => undefined,
    );
  });
  return () =>
    new Promise((resolve, reject) => {
      const id = ++scrapes;
      const timeout = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`The supervisor did not send the metrics of all workers within ${WAIT_MS} ms.`));
      }, WAIT_MS);
      waiting.set(id, (text) => {
        clearTimeout(timeout);
        waiting.delete(id);
        resolve(text);
      });
      sendToSupervisor({ kind: "metrics", id });
    });
}
