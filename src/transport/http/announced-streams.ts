import { constants } from "node:http2";

/**
 * Multiple of what a client may have at once for which Node has room. Node counts a stream until the next tick after its end, a client
 * only until the end: it may begin as many again in the bytes that end the first. Node resets what is beyond its room with
 * `ENHANCE_YOUR_CALM`, which clients do not repeat, and ends the connection if that happens often. A client is ahead of Node wherever
 * it is answered before it has sent its whole request, as one that is refused.
 */
export const STREAMS_ROOM = 2;

const FRAME_HEAD_BYTES = 9;
const NAME_BYTES = 2;
const SETTING_BYTES = 6;

/**
 * Returns a function that takes the bytes that Node sends on a connection, and lowers the number of streams in the first frame of them,
 * our SETTINGS. Node announces what it has room for, and has no setting for less.
 */
export function announceStreams(streamsMax: number): (chunk: Buffer) => void {
  let isFirst = true;
  return (chunk) => {
    if (!isFirst) return;
    isFirst = false;
    const end = FRAME_HEAD_BYTES + chunk.readUIntBE(0, 3);
    for (let at = FRAME_HEAD_BYTES; at < end; at += SETTING_BYTES) {
      const isStreams = chunk.readUInt16BE(at) === constants.NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS;
      if (isStreams) chunk.writeUInt32BE(streamsMax, at + NAME_BYTES);
    }
  };
}
