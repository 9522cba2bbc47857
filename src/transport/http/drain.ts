import { Server } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Listener } from "./listener.ts";

/** Time for requests in progress after the process is asked to stop. */
const DRAIN_TIMEOUT_MS = 15_000;
const DRAIN_SWEEP_MS = 100;
/** Where clients go on connecting, the queue may never be empty. Twice what Node lets wait there. */
const QUEUE_TURNS_MAX = 1_000;

/**
 * Continues to serve until the notice ends and asks every client to reconnect: over HTTP/2 at once with GOAWAY, over HTTP/1.1 with
 * `Connection: close` on the next answer. Then accepts no more connections, waits up to 15 s for requests in progress, and
 * closes the remaining connections.
 *
 * An HTTP/2 connection that is opened during the notice gets no GOAWAY until the notice ends. Each GOAWAY loses the requests
 * that cross it, and a client that reconnects at once, maybe to this process again, would lose some every time.
 */
export async function drain(listener: Listener, notice: Promise<void>, lastRequestMs: number): Promise<void> {
  const { server } = listener;
  // Runs before the handler, which may answer at once. Without the notice, a client would lose a request when we close.
  server.prependListener("request", (_req, res) => {
    res.shouldKeepAlive = false;
  });
  listener.goAway();
  await notice;
  await takeQueued(server);
  return new Promise((resolve) => {
    const timeout = setTimeout(listener.destroy, DRAIN_TIMEOUT_MS);
    let sweep: NodeJS.Timeout | undefined;
    const lastRequest = setTimeout(() => {
      // These connections were opened during the notice and have sent nothing. No new ones are accepted any more.
      listener.closeSilent();
      listener.goAway();
      // HTTP's own `close` ends idle connections once. Connections that become idle later would stay for the keep-alive time.
      server.close();
      sweep = setInterval(() => server.closeIdleConnections(), DRAIN_SWEEP_MS);
    }, lastRequestMs);
    Server.prototype.close.call(server, () => {
      clearTimeout(timeout);
      clearTimeout(lastRequest);
      clearInterval(sweep);
      resolve();
    });
    listener.goAwayForGood();
  });
}

/**
 * Accepts what waits in the kernel's queue, which it resets when the port is closed: to the client it looks as if its request had been
 * lost. Node takes one connection in each turn of the event loop. After a turn without one, the queue was empty a moment ago.
 */
async function takeQueued(server: Server): Promise<void> {
  let isTaken = true;
  const take = (): void => {
    isTaken = true;
  };
  server.on("connection", take);
  for (let turn = 0; isTaken && turn < QUEUE_TURNS_MAX; turn++) {
    // The first one may be over before the queue is looked at.
    isTaken = turn === 0;
    await nextTurn();
  }
  server.off("connection", take);
}
