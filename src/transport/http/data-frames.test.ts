import fc from "fast-check";
import { expect, test } from "vitest";
import { frame } from "../../../test/harness/http2-frames.ts";
import { readDataFrames } from "./data-frames.ts";

const DATA = 0;
const frames = fc.array(
  fc.record({ type: fc.nat(9), stream: fc.nat(0x7fff_ffff), payload: fc.uint8Array({ maxLength: 50 }) }),
);

test("DATA frames are reported in order, in whatever pieces their connection's bytes come", () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(1_000)), (sent, cuts) => {
      const bytes = Buffer.concat(
        sent.map(({ type, stream, payload }) => frame(type, 1, Buffer.from(payload), stream)),
      );
      const reported: [number, number][] = [];
      const push = readDataFrames((stream, count) => reported.push([stream, count]));
      let from = 0;
      for (const to of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
        push(bytes.subarray(from, to));
        from = Math.max(from, to);
      }
      const expected = sent.filter(({ type }) => type === DATA).map(({ stream, payload }) => [stream, payload.length]);
      expect(reported).toEqual(expected);
    }),
  );
});
