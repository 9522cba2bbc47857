import type { Duplex } from "node:stream";
import type { HttpLimits } from "./http-limits.ts";
import type { Pipelining } from "./pipelining.ts";
import { createStallWatch } from "./stall-watch.ts";

export interface IdleWatch {
  watch(socket: Duplex): void;
  stop(): void;
}

/**
 * Destroys HTTP/1.1 connections that have had no request for the time, whatever bytes their clients send.
 *
 * Node's own keep-alive timer starts again with each byte, and its limit on the time of a head begins with the head's first
 * line: empty lines before it (RFC 9112, 2.2), sent now and then, keep a connection for ever. This one waits longer than
 * Node's by the time that a head may take, so that it never ends a connection on which a request has begun in time.
 */
export function watchIdle(
  pipelining: Pick<Pipelining, "latest">,
  { keepAliveTimeoutMs, headersTimeoutMs }: Pick<HttpLimits, "keepAliveTimeoutMs" | "headersTimeoutMs">,
): IdleWatch {
  const stalls = createStallWatch(keepAliveTimeoutMs + headersTimeoutMs);
  return {
    watch(socket) {
      const progress = () => {
        // Node bounds the time of a connection's first head, whatever comes before it.
        const answer = pipelining.latest(socket);
        return answer?.closed === true ? answer : undefined;
      };
      socket.once("close", stalls.watch({ progress, end: () => socket.destroy() }));
    },
    stop: stalls.stop,
  };
}
