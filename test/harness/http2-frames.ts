/** HTTP/2 by hand (RFC 9113), for what no client library would send. */

export const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
export const HEADERS = 0x1;
export const RST_STREAM = 0x3;
export const SETTINGS = 0x4;
export const PING = 0x6;
export const CONTINUATION = 0x9;
/** END_STREAM, with more headers to come. */
export const END_OF_STREAM = 0x1;
/** END_STREAM and END_HEADERS. */
export const END_OF_BOTH = 0x5;
/** `:method: GET`, `:scheme: http`, `:path: /`, `:authority: x` in HPACK. */
export const GET_ROOT = Buffer.from("828684410178", "hex");

export function frame(type: number, flags: number, payload: Buffer = Buffer.alloc(0), stream = 0): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header field in HPACK as it is, of less than 127 characters each (RFC 7541, 6.2.2). */
export function field(name: string, value: string): Buffer {
  return Buffer.concat([
    ...[[0, name.length], Buffer.from(name), [value.length], Buffer.from(value)].map((part) => Buffer.from(part)),
  ]);
}
