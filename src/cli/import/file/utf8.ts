import { isUtf8 } from "node:buffer";

/**
 * Files are split as Latin-1: a character for each byte. Delimiters are ASCII, so no byte of a longer UTF-8 character is taken for
 * one, and only the value with invalid UTF-8 is refused.
 */
export type Latin1 = string;

const NOT_ASCII = /[\x80-\xff]/;
const UTF8_MARK = "\xef\xbb\xbf";
const UTF16_MARK = /^(?:\xff\xfe|\xfe\xff)/;

/** The text of bytes. Undefined: they are not UTF-8. */
export function utf8Of(bytes: Latin1): string | undefined {
  if (!NOT_ASCII.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, "latin1");
  return isUtf8(buffer) ? buffer.toString() : undefined;
}

export async function* latin1Of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Latin1> {
  for await (const chunk of chunks)
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
}

/** Without the byte order mark that spreadsheets write. */
export function withoutMark(head: Latin1): Latin1 {
  return head.startsWith(UTF8_MARK) ? head.slice(UTF8_MARK.length) : head;
}

export function isUtf16(head: Latin1): boolean {
  return UTF16_MARK.test(head);
}
