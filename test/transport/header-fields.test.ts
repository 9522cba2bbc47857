import { once } from "node:events";
import { connect, constants, type OutgoingHttpHeaders, type SecureClientSessionOptions } from "node:http2";
import { createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFieldCounter } from "../../src/transport/http/header-fields.ts";
import { END_OF_BOTH, frame, GET_ROOT, HEADERS as HEADERS_FRAME, PREFACE } from "../harness/http2-frames.ts";
import { listenOnLoopback } from "../servers/loopback.ts";

/** `:method`, `:scheme`, `:authority` and `:path`. */
const PSEUDO_HEADERS = 4;
/** What a client opens at once before it knows the server's settings, which here never come. */
const STREAMS_MAX = 100;

/** The payload of a ping behind all requests. */
const LAST = Buffer.from("the last");

/** What Node's client sends for requests, each on a stream of its own: 1, 3, 5. */
async function recorded(
  requests: readonly OutgoingHttpHeaders[],
  options: SecureClientSessionOptions = {},
): Promise<Buffer> {
  const all = Promise.withResolvers<Buffer>();
  let bytes = Buffer.alloc(0);
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.includes(LAST)) all.resolve(bytes);
    });
  });
  const session = connect(`http://127.0.0.1:${await listenOnLoopback(server)}`, options);
  session.on("error", () => {});
  await once(session, "connect");
  for (const headers of requests) {
    const stream = session.request({ [constants.HTTP2_HEADER_METHOD]: "POST", ...headers }, { waitForTrailers: true });
    // Trailers are no request of their own.
    stream.on("error", () => {}).on("wantTrailers", () => stream.sendTrailers({ "x-trailer": "t" }));
    stream.end("a body");
    await once(stream, "finish");
  }
  session.ping(LAST, () => {});
  try {
    return await all.promise;
  } finally {
    session.destroy();
    server.close();
  }
}

/** Counts of streams 1, 3, 5, of bytes that come in pieces of these sizes, over and over. */
function counted(bytes: Buffer, streams: number, sizes: readonly number[]): (number | undefined)[] {
  const counter = createFieldCounter();
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    counter.push(bytes.subarray(at, at + size));
    at += size;
  }
  return Array.from({ length: streams }, (_, n) => counter.take(2 * n + 1));
}

const VALUE = fc.string({ unit: fc.constantFrom(..."abcXYZ019-._ ~"), maxLength: 40 }).map((text) => text.trim());
const HEADERS = fc.dictionary(
  fc.string({ unit: fc.constantFrom(..."abcxyz-09"), minLength: 1, maxLength: 12 }).map((name) => `x-${name}`),
  VALUE,
  { maxKeys: 12 },
);

describe("the fields of requests, as Node's client sends them", () => {
  test("are counted, however the bytes are split, and with entries of the dynamic table", async () => {
    const requests = fc.sample(HEADERS, { numRuns: STREAMS_MAX / 2, seed: 9 });
    // Again, so that the table has them.
    const twice = [...requests, ...requests];
    const bytes = await recorded(twice);
    const expected = twice.map((headers) => PSEUDO_HEADERS + Object.keys(headers).length);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        expect(counted(bytes, twice.length, sizes)).toEqual(expected);
      }),
    );
    expect(counted(bytes, twice.length, [1])).toEqual(expected);
  });

  test("are counted in padded frames, in several frames, and if they are never indexed", async () => {
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`x-${n}`, "v".repeat(400 + n)]));
    const secret = { "x-api-key": "sk_1", "x-other": "1", [constants.HTTP2_HEADER_PATH]: "/a" };
    Object.assign(secret, { [Symbol.for("nodejs.http2.sensitiveHeaders")]: ["x-api-key"] });
    for (const paddingStrategy of [constants.PADDING_STRATEGY_NONE, constants.PADDING_STRATEGY_MAX]) {
      const bytes = await recorded([many, secret, many], { paddingStrategy, maxSendHeaderBlockLength: 100_000 });
      const sizes = [16_384];
      expect(counted(bytes, 3, sizes)).toEqual([PSEUDO_HEADERS + 90, PSEUDO_HEADERS + 2, PSEUDO_HEADERS + 90]);
    }
  });
});

test("of any number of counts that are not read, the latest are kept", () => {
  const counter = createFieldCounter();
  counter.push(Buffer.from(PREFACE));
  const last = 2 * 10_001 + 1;
  for (let stream = 1; stream <= last; stream += 2) counter.push(frame(HEADERS_FRAME, END_OF_BOTH, GET_ROOT, stream));
  // One that is not known is refused, as one whose fields are not all there.
  expect(counter.take(1)).toBeUndefined();
  expect(counter.take(last)).toBe(4);
});

test("any bytes are counted without an error or an endless loop", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200, size: "max" }), { maxLength: 8, size: "max" }), (chunks) => {
      const counter = createFieldCounter();
      counter.push(Buffer.from(PREFACE));
      for (const chunk of chunks) {
        // Each as the header block of a request, too.
        counter.push(frame(HEADERS_FRAME, END_OF_BOTH, Buffer.from(chunk), 1));
        counter.push(Buffer.from(chunk));
      }
      counter.take(1);
    }),
  );
});
