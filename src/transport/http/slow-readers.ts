import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { readDataFrames } from "./data-frames.ts";
import { createStallWatch, type Watched } from "./stall-watch.ts";

/** Bytes of the current write that libuv still holds, which may be megabytes. Node has no public API for it. */
type Sending = Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null };

export interface SlowReaderWatch {
  watch(socket: Socket): void;
  /**
   * Also watches the streams of an HTTP/2 connection. Returns a function that takes the bytes sent on it, and calls `onData`
   * for each DATA frame in them.
   */
  watchStreams(session: ServerHttp2Session, socket: Socket, onData: () => void): (chunk: Buffer) => void;
  stop(): void;
}

/**
 * Disconnects clients that read nothing of a pending answer for `timeoutMs`, because their answers stay in memory. A client
 * that waits for its answer to be made stays connected, and so does one that reads slowly but steadily.
 *
 * An HTTP/2 client may read its socket, so that no bytes wait there, and keep a stream's flow-control window at 0. That
 * stream is reset. If the connection's own window is used up, nothing can be sent on it, and the connection is destroyed.
 */
export function watchSlowReaders(timeoutMs: number): SlowReaderWatch {
  const stalls = createStallWatch(timeoutMs);
  return {
    watch(socket) {
      const progress = () => (socket.writableLength === 0 ? undefined : takenOf(socket));
      socket.once("close", stalls.watch({ progress, end: () => socket.destroy() }));
    },
    watchStreams(session, socket, onData) {
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
      return readDataFrames((id, bytes) => {
        connection.sent(id, bytes);
        onData();
      });
    },
    stop: stalls.stop,
  };
}

/** Bytes that the operating system has accepted. Grows with each byte that the client side accepts. */
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

  /** Whether the client's flow-control window for the whole connection is used up. */
  isWindowUsedUp(): boolean {
    return (this.#session.state.remoteWindowSize ?? 0) <= 0;
  }

  /** Whether streams wait for each other, because no more can be sent on the connection now. */
  isBusy(): boolean {
    return this.#socket.writableLength > 0 || this.isWindowUsedUp();
  }

  end(): void {
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.#session.destroy();
  }
}

/** Node reports only the end of a stream's write, which may have megabytes. Progress is counted in sent frames instead. */
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
    // The end of an answer also waits for a window: nghttp2 sends it in a DATA frame.
    if (this.#stream.writableLength === 0 && !this.#stream.writableEnded) return undefined;
    // nghttp2 may send other streams first. While any of them makes progress, this one is not stalled.
    return this.#connection.isBusy() ? this.#connection.sentBytes : this.sentBytes;
  }

  end(): void {
    if (this.#connection.isWindowUsedUp()) this.#connection.end();
    else this.#stream.close(constants.NGHTTP2_CANCEL);
  }
}
