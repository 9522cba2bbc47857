import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Serves the requests of each HTTP/1.1 connection one after another. */
export interface Pipelining {
  /** The answer to the latest request of a connection. */
  latest(socket: Duplex): ServerResponse | undefined;
  /** Adds a request's answer. Returns the unfinished answer that must be sent first, if there is one. */
  add(socket: Duplex, answer: ServerResponse): ServerResponse | undefined;
  /** Calls `next` when an answer has been sent completely, but not if the connection ends with that answer or before. */
  after(answer: ServerResponse, socket: Duplex, next: () => void): void;
}

/**
 * A client may send requests without waiting for answers (pipelining, RFC 9112, 9.3.2). If they all began at once, a client
 * that reads nothing could make us produce and keep thousands of answers for one packet, while other clients wait.
 *
 * When `waitingMax` requests wait, nothing more is read from their connection. While fewer wait, a disconnect is noticed at
 * once.
 */
export function createPipelining(waitingMax: number): Pipelining {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const waiting = new WeakMap<Duplex, number>();

  function addWaiting(socket: Duplex): void {
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count !== waitingMax) return;
    // Node's HTTP server also resumes the socket.
    socket.on("resume", pause);
    socket.pause();
  }

  function removeWaiting(socket: Duplex): void {
    const count = (waiting.get(socket) ?? 0) - 1;
    waiting.set(socket, count);
    if (count !== waitingMax - 1) return;
    socket.off("resume", pause);
    socket.resume();
  }

  return {
    latest: (socket) => latest.get(socket),
    add(socket, answer) {
      const before = latest.get(socket);
      latest.set(socket, answer);
      return before?.closed === false ? before : undefined;
    },
    after(answer, socket, next) {
      if (answer.closed) {
        next();
        return;
      }
      addWaiting(socket);
      answer.once("close", () => {
        removeWaiting(socket);
        // After a last answer or a client disconnect, no answer could be sent.
        if (socket.writable) next();
      });
    },
  };
}

function pause(this: Duplex): void {
  this.pause();
}
