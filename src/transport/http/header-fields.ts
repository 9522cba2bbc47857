/**
 * Counts the header fields of each request on an HTTP/2 connection, from the bytes on the wire.
 *
 * nghttp2 silently drops invalid fields, such as a value with a space at its end or a control character. A credential that
 * was sent could disappear: a request for one user would count as the whole tenant's, and a revoked key beside a user's
 * token as no key. RFC 9113, 8.2.1 calls such a request malformed. If Node reports fewer fields than were counted, one was
 * dropped.
 *
 * Counting needs no HPACK table and decodes no text: each field begins where the previous one ends (RFC 7541, 6), and each
 * string has a length prefix. nghttp2 itself rejects all other faults and ends the connection.
 */
export interface FieldCounter {
  /** Takes the next bytes from the client, preface included, before nghttp2 reads them. */
  push(chunk: Buffer): void;
  /**
   * Returns how many fields the request on a stream has, pseudo-headers included. Call it once per stream, in the order of
   * streams.
   */
  take(streamId: number): number | undefined;
  /** The number of the frame that began an unfinished request head. The preface counts as a frame. */
  unfinished(): number | undefined;
}

const PREFACE_BYTES = 24;
const FRAME_HEAD_BYTES = 9;
const FRAME = { headers: 1, continuation: 9 } as const;
const FLAG = { endHeaders: 0x04, padded: 0x08, priority: 0x20 } as const;
const PRIORITY_BYTES = 5;
/** Counts of requests that were cancelled at once are never taken. They stay until a later request's count is. */
const COUNTS_MAX = 10_000;
/** More than nghttp2 accepts for one head, which is 64 KiB. */
const BLOCK_BYTES_MAX = 131_072;

export function createFieldCounter(): FieldCounter {
  /** The chunks of a frame's head, or of a frame with header fields, that has not arrived as a whole. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** How many bytes that head or frame has. Held chunks are joined once: for each chunk, one by one would cost their square. */
  let neededBytes = 0;
  /** Bytes of the preface or of other frames that are still to be skipped. */
  let skipping = PREFACE_BYTES;
  /** Frames that have begun, the preface included. */
  let frames = 1;
  let blockFrame = 0;
  let block: Buffer[] = [];
  let blockBytes = 0;
  let lastStreamId = 0;
  let counts: { readonly streamId: number; readonly fields: number }[] = [];

  /** Takes a complete frame with header fields. */
  function takeFields(type: number, flags: number, streamId: number, payload: Buffer): void {
    const part = type === FRAME.headers ? fieldsOf(flags, payload) : payload;
    if (block.length === 0) blockFrame = frames;
    blockBytes += part.length;
    if (blockBytes <= BLOCK_BYTES_MAX) block.push(part);
    if ((flags & FLAG.endHeaders) === 0) return;
    // A stream's second head is its trailers, which are never read.
    if (streamId > lastStreamId) {
      lastStreamId = streamId;
      counts.push({ streamId, fields: countFields(Buffer.concat(block)) });
      if (counts.length > COUNTS_MAX) counts.shift();
    }
    block = [];
    blockBytes = 0;
  }

  function hold(chunk: Buffer, needed: number): void {
    held.push(chunk);
    heldBytes += chunk.length;
    neededBytes = needed;
  }

  /** The held bytes with those that have arrived. Undefined: too little to read. */
  function joined(chunk: Buffer): Buffer | undefined {
    if (heldBytes === 0) return chunk;
    hold(chunk, neededBytes);
    if (heldBytes < neededBytes) return undefined;
    const whole = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return whole;
  }

  return {
    push(chunk) {
      let rest = joined(chunk);
      while (rest !== undefined && rest.length > 0) {
        const skipped = Math.min(skipping, rest.length);
        skipping -= skipped;
        rest = rest.subarray(skipped);
        if (rest.length === 0) return;
        if (rest.length < FRAME_HEAD_BYTES) return hold(rest, FRAME_HEAD_BYTES);
        const length = rest.readUIntBE(0, 3);
        const type = rest.readUInt8(3);
        const end = FRAME_HEAD_BYTES + length;
        if (type !== FRAME.headers && type !== FRAME.continuation) {
          skipping = end;
          frames += 1;
        } else if (rest.length < end) {
          return hold(rest, end);
        } else {
          frames += 1;
          const streamId = rest.readUInt32BE(5) & 0x7fff_ffff;
          takeFields(type, rest.readUInt8(4), streamId, rest.subarray(FRAME_HEAD_BYTES, end));
          rest = rest.subarray(end);
        }
      }
    },
    take(streamId) {
      const found = counts.find((one) => one.streamId === streamId)?.fields;
      // Earlier streams were rejected by nghttp2: their counts will not be taken.
      counts = counts.filter((one) => one.streamId > streamId);
      return found;
    },
    unfinished() {
      if (block.length > 0) return blockFrame;
      const isPreface = frames === 1 && skipping > 0;
      return isPreface || heldBytes > 0 ? frames : undefined;
    },
  };
}

/** The fields in a HEADERS frame, without padding and priority (RFC 9113, 6.2). */
function fieldsOf(flags: number, payload: Buffer): Buffer {
  const isPadded = (flags & FLAG.padded) !== 0;
  const padding = isPadded ? (payload[0] ?? 0) : 0;
  const start = (isPadded ? 1 : 0) + ((flags & FLAG.priority) === 0 ? 0 : PRIORITY_BYTES);
  return payload.subarray(start, Math.max(start, payload.length - padding));
}

/** How many fields a header block represents (RFC 7541, 6.1 to 6.3). */
function countFields(block: Buffer): number {
  let fields = 0;
  let at = 0;
  while (at < block.length) {
    const first = block[at] ?? 0;
    if ((first & 0xe0) === 0x20) {
      // A dynamic table size update is not a field.
      at = integerAt(block, at, 5).end;
      continue;
    }
    fields += 1;
    if ((first & 0x80) !== 0) {
      at = integerAt(block, at, 7).end;
      continue;
    }
    const name = integerAt(block, at, (first & 0x40) === 0 ? 4 : 6);
    const value = name.value === 0 ? endOfText(block, name.end) : name.end;
    at = endOfText(block, value);
  }
  return fields;
}

function endOfText(block: Buffer, at: number): number {
  const length = integerAt(block, at, 7);
  return length.end + length.value;
}

/** An integer whose first `bits` bits stand in the byte at `at` (RFC 7541, 5.1). */
function integerAt(block: Buffer, at: number, bits: number): { readonly value: number; readonly end: number } {
  const most = 2 ** bits - 1;
  let value = (block[at] ?? 0) & most;
  let end = at + 1;
  if (value < most) return { value, end };
  for (let scale = 1; end < block.length; scale *= 128) {
    const byte = block[end] ?? 0;
    end += 1;
    value += (byte & 0x7f) * scale;
    if ((byte & 0x80) === 0) break;
  }
  return { value, end };
}
