import { Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "./listener.ts";

/** Time for requests under way when the process is told to stop. */
const DRAIN_TIMEOUT_MS = 15_000;
const DRAIN_SWEEP_MS = 100;
/** Time for clients that are connected to ask once more: a request may be on its way. */
const SILENCE_MS = 500;

/**
 * Serves on for `noticeMs`, telling every client to come back on a new connection: with HTTP/2 at once by GOAWAY, with
 * HTTP/1.1 by the next answer. Then takes no more connections, lets requests under way end, and cuts off the rest.
 *
 * One of HTTP/2 that is made during the notice is served to its end: each GOAWAY costs the requests that cross it, and
 * a client that comes back at once, maybe to this process again, would lose some every time.
 */
export async function drain(listener: Listener, noticeMs: number): Promise<void> {
  const { server } = listener;
  // Before the handler: it may answer at once. A client whose connection is just closed instead would lose a request.
  server.prependListener("request", (_req, res) => {
    res.shouldKeepAlive = false;
  });
  listener.goAway();
  await sleep(noticeMs);
  return new Promise((resolve) => {
    const cut = setTimeout(listener.destroy, DRAIN_TIMEOUT_MS);
    let sweep: NodeJS.Timeout | undefined;
    const silence = setTimeout(() => {
      // Connections that came during the notice and have not asked anything yet; no more of them come now.
      listener.closeSilent();
      listener.goAway();
      // HTTP's own `close` ends idle connections, too; what becomes idle later would be kept for the keep-alive time.
      server.close();
      sweep = setInterval(() => server.closeIdleConnections(), DRAIN_SWEEP_MS);
    }, SILENCE_MS);
    Server.prototype.close.call(server, () => {
      clearTimeout(cut);
      clearTimeout(silence);
      clearInterval(sweep);
      resolve();
    });
    listener.goAwayForGood();
  });
}
