import { Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "./listener.ts";

/** Time for requests in progress after the process is asked to stop. */
const DRAIN_TIMEOUT_MS = 15_000;
const DRAIN_SWEEP_MS = 100;
/** Time for connected clients to send one more request: one may be on its way. */
const LAST_REQUEST_MS = 500;

/**
 * Continues to serve for `noticeMs` and asks every client to reconnect: over HTTP/2 at once with GOAWAY, over HTTP/1.1 with
 * `Connection: close` on the next answer. Then accepts no more connections, waits up to 15 s for requests in progress, and
 * closes the remaining connections.
 *
 * An HTTP/2 connection that is opened during the notice gets no GOAWAY until the notice ends. Each GOAWAY loses the requests
 * that cross it, and a client that reconnects at once, maybe to this process again, would lose some every time.
 */
export async function drain(listener: Listener, noticeMs: number): Promise<void> {
  const { server } = listener;
  // Runs before the handler, which may answer at once. Without the notice, a client would lose a request when we close.
  server.prependListener("request", (_req, res) => {
    res.shouldKeepAlive = false;
  });
  listener.goAway();
  await sleep(noticeMs);
  return new Promise((resolve) => {
    const timeout = setTimeout(listener.destroy, DRAIN_TIMEOUT_MS);
    let sweep: NodeJS.Timeout | undefined;
    const lastRequest = setTimeout(() => {
      // These connections were opened during the notice and have sent nothing. No new ones are accepted any more.
      listener.closeSilent();
      listener.goAway();
      // HTTP's own `close` ends idle connections once. Those that become idle later would stay for the keep-alive time.
      server.close();
      sweep = setInterval(() => server.closeIdleConnections(), DRAIN_SWEEP_MS);
    }, LAST_REQUEST_MS);
    Server.prototype.close.call(server, () => {
      clearTimeout(timeout);
      clearTimeout(lastRequest);
      clearInterval(sweep);
      resolve();
    });
    listener.goAwayForGood();
  });
}
