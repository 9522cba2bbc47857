import type { Duplex } from "node:stream";
import type { HttpLimits } from "./http-limits.ts";
import type { Pipelining } from "./pipelining.ts";
import { createStallWatch } from "./stall-watch.ts";

export interface IdleWatch {
  watch(socket: Duplex): void;
  stop(): void;
}

/**
 * Destroys HTTP/1.1 connections without a request for the keep-alive time, even if their clients send bytes.
 *
 * Node's own keep-alive timer starts again with each byte, and its head timer starts with the head's first line. A client
 * that sends an empty line now and then (RFC 9112, 2.2) could keep a connection open for ever. This timer waits for the
 * keep-alive time plus the time for a head, so that it never ends a connection on which a request began in time.
 */
export function watchIdle(
  pipelining: Pick<Pipelining, "latest">,
  { keepAliveTimeoutMs, headersTimeoutMs }: Pick<HttpLimits, "keepAliveTimeoutMs" | "headersTimeoutMs">,
): IdleWatch {
  const stalls = createStallWatch(keepAliveTimeoutMs + headersTimeoutMs);
  return {
    watch(socket) {
      const progress = () => {
        // Node itself limits the time of a connection's first head, including empty lines before it.
        const answer = pipelining.latest(socket);
        return answer?.closed === true ? answer : undefined;
      };
      socket.once("close", stalls.watch({ progress, end: () => socket.destroy() }));
    },
    stop: stalls.stop,
  };
}
