import { Duplex } from "node:stream";

/** A connection that passes received bytes to `onReceived` before they can be read, and sent bytes to `onSent`. */
export class TappedSocket extends Duplex {
  readonly #socket: Duplex;
  onSent: (chunk: Buffer) => void = () => {};

  constructor(socket: Duplex, onReceived: (chunk: Buffer) => void) {
    super();
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      onReceived(chunk);
      if (!this.push(chunk)) socket.pause();
    });
    socket.once("end", () => this.push(null));
    socket.once("error", (err) => this.destroy(err));
    socket.once("close", () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, written: (err?: Error | null) => void): void {
    this.onSent(chunk);
    this.#socket.write(chunk, encoding, written);
  }

  /**
   * What Node sends at once: the heads, the body and the trailers of an answer are buffers of their own. Each `write` would
   * be a system call, and a packet.
   */
  override _writev(
    pieces: readonly { readonly chunk: Buffer; readonly encoding: BufferEncoding }[],
    written: (err?: Error | null) => void,
  ): void {
    const chunks = pieces.map(({ chunk }) => chunk);
    for (const chunk of chunks) this.onSent(chunk);
    this.#socket.write(Buffer.concat(chunks), written);
  }

  override _final(ended: () => void): void {
    this.#socket.end(ended);
  }

  override _destroy(err: Error | null, destroyed: (err: Error | null) => void): void {
    this.#socket.destroy();
    destroyed(err);
  }
}
