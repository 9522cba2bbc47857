import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { readDataFrames } from "./data-frames.ts";
import { createStallWatch, type Watched } from "./stall-watch.ts";

/** How much is still with libuv of the write under way. Node has no public name for it, and one write may be megabytes. */
type Sending = Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };

export interface SlowReaderWatch {
  watch(socket: Socket): void;
  /** Watches the streams of an HTTP/2 connection, too. Returns what takes the bytes that the server sends on it. */
  watchStreams(session: ServerHttp2Session, socket: Socket): (chunk: Buffer) => void;
  stop(): void;
}

/**
 * Disconnects clients that take nothing of an answer for the time: their answers would stay in memory. A client whose answer
 * is still being made has nothing to take and stays connected, and so does one that takes its answer slowly.
 *
 * A client of HTTP/2 may read its socket, so that nothing waits there, and keep a stream's flow-control window at 0: that
 * stream is reset. Where the connection's own window is used up, nothing can be sent on it, and it is destroyed.
 */
export function watchSlowReaders(timeoutMs: number): SlowReaderWatch {
  const stalls = createStallWatch(timeoutMs);
  return {
    watch(socket) {
      const progress = () => (socket.writableLength === 0 ? undefined : takenOf(socket));
      socket.once("close", stalls.watch({ progress, end: () => socket.destroy() }));
    },
    watchStreams(session, socket) {
      const connection = new SendingConnection(session, socket);
      session.on("stream", (stream) => {
        const sending = new SendingStream(stream, connection);
        connection.streams.set(sending.id, sending);
        const stop = stalls.watch(sending);
        stream.once("close", () => {
          connection.streams.delete(sending.id);
          stop();
        });
      });
      return readDataFrames((id, bytes) => connection.sent(id, bytes));
    },
    stop: stalls.stop,
  };
}

/** Changes with each byte that the client's side takes. */
function takenOf(socket: Sending): number {
  return socket.bytesWritten - socket.writableLength - (socket._handle?.writeQueueSize ?? 0);
}

class SendingConnection {
  readonly #session: ServerHttp2Session;
  readonly #socket: Socket;
  readonly streams = new Map<number, SendingStream>();
  sentBytes = 0;

  constructor(session: ServerHttp2Session, socket: Socket) {
    this.#session = session;
    this.#socket = socket;
  }

  sent(streamId: number, bytes: number): void {
    this.sentBytes += bytes;
    const stream = this.streams.get(streamId);
    if (stream !== undefined) stream.sentBytes += bytes;
  }

  /** Whether its client's flow-control window for the whole connection is used up. */
  isWindowUsedUp(): boolean {
    return (this.#session.state.remoteWindowSize ?? 0) <= 0;
  }

  /** Whether streams wait for each other, since no more can be sent on the connection now. */
  isBusy(): boolean {
    return this.#socket.writableLength > 0 || this.isWindowUsedUp();
  }

  end(): void {
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.#session.destroy();
  }
}

/** Node reports when a stream's write has ended, which may have megabytes, and not how far it has got: frames are counted. */
class SendingStream implements Watched {
  readonly id: number;
  readonly #stream: ServerHttp2Stream;
  readonly #connection: SendingConnection;
  sentBytes = 0;

  constructor(stream: ServerHttp2Stream, connection: SendingConnection) {
    this.id = stream.id ?? 0;
    this.#stream = stream;
    this.#connection = connection;
  }

  progress(): number | undefined {
    // The end of an answer, too, has to wait for a window: nghttp2 sends it in a DATA frame.
    if (this.#stream.writableLength === 0 && !this.#stream.writableEnded) return undefined;
    // nghttp2 may send other streams first: as long as any of them makes progress, this one is not stalled.
    return this.#connection.isBusy() ? this.#connection.sentBytes : this.sentBytes;
  }

  end(): void {
    if (this.#connection.isWindowUsedUp()) this.#connection.end();
    else this.#stream.close(constants.NGHTTP2_CANCEL);
  }
}
