const FRAME_HEAD_BYTES = 9;
const DATA = 0;

/**
 * Reads the frames of one direction of an HTTP/2 connection (RFC 9113, 4.1), without a preface. Reports the stream and the
 * payload bytes of each DATA frame as soon as its head has arrived. Returns a function that takes the connection's bytes,
 * in pieces of any size.
 */
export function readDataFrames(onData: (streamId: number, bytes: number) => void): (chunk: Buffer) => void {
  /** The part of a frame's head that has arrived. */
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  let headBytes = 0;
  /** Bytes of the current frame's payload that have not arrived yet. */
  let payloadBytes = 0;

  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (payloadBytes > 0) {
        const skipped = Math.min(payloadBytes, chunk.length - at);
        payloadBytes -= skipped;
        at += skipped;
        continue;
      }
      const copied = chunk.copy(head, headBytes, at);
      headBytes += copied;
      at += copied;
      if (headBytes < FRAME_HEAD_BYTES) return;
      headBytes = 0;
      payloadBytes = head.readUIntBE(0, 3);
      if (head[3] === DATA) onData(head.readUInt32BE(5) & 0x7fff_ffff, payloadBytes);
    }
  };
}
