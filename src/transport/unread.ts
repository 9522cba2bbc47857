import type { Socket } from "node:net";

/** How far a connection has got that has bytes to send. */
interface Progress {
  readonly taken: number;
  readonly sinceMs: number;
}

/** How much is still with libuv of the write under way. Node has no public name for it, and one write may be megabytes. */
type Sending = Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };

export interface UnreadWatch {
  watch(socket: Socket): void;
  stop(): void;
}

/** The longest between two looks. */
const LOOK_MS = 2_000;

/**
 * Destroys connections that have bytes to send of which their client has taken none for the time: they hold answers in
 * memory for nobody. One whose answer is still being made has nothing to send and is left alone.
 *
 * It looks every now and then. A socket's own timeout starts again with each byte that its client sends.
 */
export function watchUnread(timeoutMs: number): UnreadWatch {
  const open = new Map<Socket, Progress | undefined>();

  function look(): void {
    const nowMs = performance.now();
    for (const [socket, before] of open) {
      if (socket.writableLength === 0) {
        if (before !== undefined) open.set(socket, undefined);
        continue;
      }
      const taken = takenOf(socket);
      if (before?.taken !== taken) open.set(socket, { taken, sinceMs: nowMs });
      else if (nowMs - before.sinceMs >= timeoutMs) socket.destroy();
    }
  }

  const looking = setInterval(look, Math.min(LOOK_MS, timeoutMs)).unref();
  return {
    watch(socket) {
      open.set(socket, undefined);
      socket.once("close", () => open.delete(socket));
    },
    stop: () => clearInterval(looking),
  };
}

/** Changes with each byte that the client's side takes. */
function takenOf(socket: Sending): number {
  return socket.bytesWritten - socket.writableLength - (socket._handle?.writeQueueSize ?? 0);
}
