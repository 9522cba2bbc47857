/** A file's bytes in pieces. */
export async function* pieces(file: string | Uint8Array, bytes = 65_536): AsyncGenerator<Uint8Array> {
  const whole = Buffer.from(file);
  for (let at = 0; at < whole.length; at += bytes) yield whole.subarray(at, at + bytes);
}
