import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The requests of each HTTP/1.1 connection, one after another. */
export interface Pipelining {
  /** The answer to the latest request of a connection. */
  latest(socket: Duplex): ServerResponse | undefined;
  /** Adds a request's answer; what is returned has to be sent before the request's turn, if anything. */
  add(socket: Duplex, answer: ServerResponse): ServerResponse | undefined;
  /** Goes on when an answer of the connection has been sent whole. Where the connection ends with it or before, never. */
  after(answer: ServerResponse, socket: Duplex, next: () => void): void;
}

/**
 * A client may send requests without waiting for answers (pipelining, RFC 9112, 9.3.2). Were they all begun at once, who
 * reads nothing would have thousands of answers made and kept for one packet, and the others would wait meanwhile.
 *
 * Where `waitingMax` of them wait, nothing more is read from their connection. Below it, its end is noticed at once.
 */
export function createPipelining(waitingMax: number): Pipelining {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const waiting = new WeakMap<Duplex, number>();

  function wait(socket: Duplex): void {
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count !== waitingMax) return;
    // Node resumes it, too, for reasons of its own.
    socket.on("resume", pause);
    socket.pause();
  }

  function waitNoMore(socket: Duplex): void {
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
      wait(socket);
      answer.once("close", () => {
        waitNoMore(socket);
        // An answer that was the last, or a client that has left: nobody could be answered.
        if (socket.writable) next();
      });
    },
  };
}

function pause(this: Duplex): void {
  this.pause();
}
