const FRAME_HEAD_BYTES = 9;
const DATA = 0;

/**
 * Reads the frames of one direction of an HTTP/2 connection (RFC 9113, 4.1), without a preface, and reports the stream and
 * the bytes of each DATA frame when its head has come. Returns what takes the connection's bytes, in pieces of any size.
 */
export function readDataFrames(onData: (streamId: number, bytes: number) => void): (chunk: Buffer) => void {
  /** The beginning of a frame's head, until all of it has come. */
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  let headBytes = 0;
  /** What is still to come of a frame's payload. */
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
