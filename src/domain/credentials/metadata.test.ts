// promise: keys.metadata
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../vocabulary/json.ts";
import { checkedMetadata, METADATA_BYTES_MAX } from "./metadata.ts";

const ofBytes = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });

function nested(levels: number): Json {
  return levels === 0 ? "x" : levels % 2 === 0 ? [nested(levels - 1)] : { a: nested(levels - 1) };
}

test.each([
  [null],
  [{}],
  [{ a: null }],
  [ofBytes(4_096)],
  [{ a: nested(31) }],
  [{ a: 1e300, b: -0.5, c: 2 ** 53 - 1 }],
])("%j is allowed", (metadata) => {
  expect(checkedMetadata(metadata)).toBe(metadata);
});

test.each([
  [ofBytes(4_097), "must be at most 4096 bytes as JSON, not 4097"],
  [{ a: "ä".repeat(2_045) }, "must be at most 4096 bytes as JSON, not 4098"],
  [{ a: nested(32) }, "must be nested at most 32 levels deep"],
  [{ a: [{ b: Number.POSITIVE_INFINITY }] }, "must not have a number beyond those of a double"],
  [{ a: Number.NaN }, "must not have a number beyond those of a double"],
  [{ a: -(2 ** 53) }, "must not have a number beyond those of a double"],
])("metadata of which JSON would lose a part, or which is too large, is a fault: case %#", (metadata, problem) => {
  expect(() => checkedMetadata(metadata)).toThrow(`metadata: ${problem}`);
});

test("whatever is allowed is the same after it was written and read as JSON, and is within the limit", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 40 })), (value) => {
      const metadata = JSON.parse(JSON.stringify(value));
      let allowed: unknown;
      try {
        allowed = checkedMetadata(metadata);
      } catch {
        return;
      }
      const text = JSON.stringify(allowed);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(METADATA_BYTES_MAX);
      expect(JSON.parse(text)).toEqual(metadata);
    }),
  );
});
