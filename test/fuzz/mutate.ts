import type { Random } from "./random.ts";

/** What ends, begins, separates or surprises in one of the formats that strangers send. */
const ODD = [
  ...["", "\0", "\n", "\r\n", "\t", " ", ",", ";", ":", "=", '"', "'", "\\", "/", ".", "-", "_", "%", "%00", "[", "]"],
  ...["{", "}", "(", "*", "0", "-0", "1e400", "9007199254740993", "2147483648", "-1", "NaN", "null", "true", "\u00e9"],
  ...["\xff", "\xef\xbb\xbf", "\xed\xa0\x80", "\xc0\x80", "\\u0000", "\\ud800", "__proto__", "constructor", "../"],
];
const REPEATS_MAX = 200;

/** Changes bytes in one to four places; what is longer than `bytesMax` afterwards is cut. `words` are inserted, too. */
export function mutateBytes(
  bytes: Buffer,
  random: Random,
  words: readonly string[] = [],
  other: Buffer = bytes,
  bytesMax = 4_096,
): Buffer {
  let changed = bytes;
  for (let step = 1 + random.below(4); step > 0; step--) changed = mutateOnce(changed, random, words, other);
  return changed.subarray(0, bytesMax);
}

function mutateOnce(bytes: Buffer, random: Random, words: readonly string[], other: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const length = 1 + random.below(random.chance(0.8) ? 8 : bytes.length + 1);
  switch (random.below(8)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random.below(256)]), after.subarray(1)]);
    case 1:
      return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << random.below(8))]), after.subarray(1)]);
    case 2:
      return Buffer.concat([before, Buffer.from(random.pick(ODD), "latin1"), after]);
    case 3:
      return Buffer.concat([before, after.subarray(length)]);
    case 4: {
      const part = after.subarray(0, length);
      const times = random.chance(0.9) ? 1 : random.below(REPEATS_MAX);
      return Buffer.concat([before, ...Array.from({ length: times }, () => part), after]);
    }
    case 5: {
      const from = random.below(other.length + 1);
      return Buffer.concat([before, other.subarray(from, from + length), after.subarray(random.below(2) * length)]);
    }
    case 6:
      return words.length === 0 ? before : Buffer.concat([before, Buffer.from(random.pick(words), "latin1"), after]);
    default:
      return withOtherNumber(bytes, random);
  }
}

const NUMBER = /\d+/g;

/** Numbers are lengths, times and versions: one becomes a neighbour, or one far off. */
function withOtherNumber(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString("latin1");
  const numbers = [...text.matchAll(NUMBER)];
  if (numbers.length === 0) return bytes;
  const number = random.pick(numbers);
  const value = Number(number[0]);
  const next = random.pick([value + 1, value - 1, value * 10, 0, 255, 256, 65_536, 2 ** 31, 2 ** 53]);
  return Buffer.from(`${text.slice(0, number.index)}${next}${text.slice(number.index + number[0].length)}`, "latin1");
}
