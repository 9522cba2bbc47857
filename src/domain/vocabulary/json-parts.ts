const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS_OBJECT = 0x7b;
const OPENS_ARRAY = 0x5b;
const COLON = 0x3a;
const COMMA = 0x2c;

/**
 * Whether a JSON text has more than `max` parts: characters { [ : , outside of strings. It scans each byte once: 1 ms
 * for 512 KiB that would take 100 ms to parse.
 */
export function hasMoreParts(json: Uint8Array, max: number): boolean {
  if (json.byteLength <= max) return false;
  let parts = 0;
  let isText = false;
  for (let at = 0; at < json.byteLength; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (isStructural(byte) && ++parts > max) return true;
  }
  return false;
}

function isStructural(byte: number): boolean {
  return byte === COMMA || byte === COLON || byte === OPENS_OBJECT || byte === OPENS_ARRAY;
}
