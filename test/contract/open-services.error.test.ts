import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "../../gen/health/v1/health_pb.ts";
import { bodySender } from "../harness/body-sender.ts";
import { expectFault, expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";

/** What anyone may send, without credentials, must not keep the process from those who have some. */
const CHECK = "/grpc.health.v1.Health/Check";
const WATCH = "/grpc.health.v1.Health/Watch";
const PARTS_MAX = "5000";
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const MESSAGE_BYTES_MAX = 16_384;
const MIB = 1_048_576;
const QUESTIONS_MAX = 1_000;
const QUESTIONS_BYTES_MAX = 262_144;

const latchkey = await sharedLatchkey();

const send = bodySender(() => latchkey);
const transports = () => [
  createGrpcTransport({ baseUrl: latchkey.url }),
  createConnectTransport({ baseUrl: latchkey.url, httpVersion: "1.1" }),
];

/** The status of gRPC that these bytes of a stream get. */
async function grpcStatus(path: string, bytes: readonly number[]): Promise<string> {
  const session = connectHttp2(latchkey.url);
  try {
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc+proto" });
    let status: unknown;
    for (const event of ["response", "trailers"]) {
      stream.on(event, (headers: Record<string, unknown>) => {
        status = headers["grpc-status"] ?? status;
      });
    }
    stream.resume().end(Buffer.from(bytes));
    await once(stream, "end");
    return String(status);
  } finally {
    session.close();
  }
}

describe("a check of health", () => {
  const FULL = MESSAGE_BYTES_MAX - 100;

  test.each([
    ["lists that never end", "application/json", "[".repeat(FULL)],
    ["elements", "application/json", `{"x":[${"0,".repeat(FULL / 2)}0]}`],
    ["unknown fields", "application/proto", new Uint8Array(Buffer.alloc(FULL, Buffer.from([0x7a, 0])))],
    ["unknown groups", "application/proto", new Uint8Array(Buffer.alloc(FULL, Buffer.from([0x7b, 0x7c])))],
  ])("of %s is rejected by the limit of a body's parts", async (_what, type, body) => {
    expectInvalid(await send(CHECK, body, { "content-type": type }), "body", PARTS_MAX);
  });

  test("of more than 16 KiB is 413, whatever it contains", async () => {
    for (const body of ["[".repeat(MESSAGE_BYTES_MAX + 1), `{${" ".repeat(MESSAGE_BYTES_MAX)}}`])
      expectFault(await send(CHECK, body, {}), 413, "resource_exhausted");
  });

  test("of more than 1 MiB is 413, never 429", async () => {
    expectFault(await send(CHECK, `{${" ".repeat(MIB)}}`, {}), 413, "resource_exhausted");
  });

  test("with a NUL in the service's name is 400, and of an unknown service 404", async () => {
    expectInvalid(await send(CHECK, `{"service":"a\\u0000"}`, {}), "service", "NUL");
    expectFault(await send(CHECK, `{"service":"a"}`, {}), 404, "not_found");
  });

  test("with a media type of streams is 415", async () => {
    expectFault(await send(CHECK, "{}", { "content-type": "application/connect+json" }), 415, "invalid_argument");
  });
});

describe("a message of a stream", () => {
  const name = (bytes: number) => ({ service: "x".repeat(bytes) });

  test("may have a name of some kilobytes", async () => {
    for (const transport of transports()) {
      const watching = createClient(Health, transport)
        .watch(name(MESSAGE_BYTES_MAX / 2))
        [Symbol.asyncIterator]();
      expect((await watching.next()).value?.status).toBe(ServingStatus.SERVICE_UNKNOWN);
      await watching.return?.();
    }
  });

  test.each([MESSAGE_BYTES_MAX, MIB / 2, 2 * MIB])(
    "of more than %i bytes is rejected, and the error says so",
    async (bytes) => {
      for (const transport of transports()) {
        const watching = createClient(Health, transport).watch(name(bytes))[Symbol.asyncIterator]();
        const err = await watching.next().then(() => undefined, ConnectError.from);
        expect(err?.code, err?.message).toBe(Code.ResourceExhausted);
      }
    },
  );

  test.each([
    ["that is none", [0, 0, 0, 0, 2, 0x3a, 9]],
    ["that is none, after a right one", [0, 0, 0, 0, 2, 0x3a, 0, 0, 0, 0, 0, 2, 0x3a, 9]],
    ["with a text that is not UTF-8", [0, 0, 0, 0, 3, 0x1a, 1, 0xff]],
    ["that says it is compressed", [1, 0, 0, 0, 2, 0x3a, 0]],
    ["that breaks off", [0, 0, 0, 0, 9, 0x3a]],
  ])("%s is the client's fault", async (_what, bytes) => {
    expect(await grpcStatus(REFLECTION, bytes)).toBe(String(Code.InvalidArgument));
  });

  test.each([
    ["that is none", [0, 0, 0, 0, 2, 0x0a, 9]],
    ["with a text that is not UTF-8", [0, 0, 0, 0, 3, 0x0a, 1, 0xff]],
    ["that says it is compressed", [1, 0, 0, 0, 2, 0x0a, 0]],
  ])("of a watcher %s is the client's fault, too", async (_what, bytes) => {
    expect(await grpcStatus(WATCH, bytes)).toBe(String(Code.InvalidArgument));
  });

  test("of reflection is rejected, too, and the connection goes on", async () => {
    const [grpc] = transports();
    if (grpc === undefined) throw new Error("no transport");
    async function* questions(bytes: number) {
      yield { messageRequest: { case: "fileByFilename" as const, value: "x".repeat(bytes) } };
    }
    for (let n = 0; n < 3; n++) {
      const replies = createClient(ServerReflection, grpc).serverReflectionInfo(questions(MIB / 2));
      const err = await replies[Symbol.asyncIterator]()
        .next()
        .then(() => undefined, ConnectError.from);
      expect(err?.code, err?.message).toBe(Code.ResourceExhausted);
    }
    expect((await createClient(Health, grpc).check({})).status).toBe(ServingStatus.SERVING);
  });

  test("is answered only when it is complete", async () => {
    const { hostname, port } = new URL(latchkey.url);
    const socket = connect(Number(port), hostname);
    // It reads nothing until it has sent everything: an answer that came before would be lost with the connection.
    socket.pause();
    // By the time of these answers the server has seen what came before them.
    const seen = async (): Promise<void> => {
      for (let n = 0; n < 5; n++) await fetch(`${latchkey.url}/healthz`);
    };
    const envelope = Buffer.alloc(5 + MIB / 2, " ");
    envelope.writeUInt8(0, 0);
    envelope.writeUInt32BE(MIB / 2, 1);
    const head = ["Host: x", "Connection: close", "Content-Type: application/connect+json"];
    head.push(`Content-Length: ${envelope.byteLength}`);
    socket.write(`POST ${WATCH} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
    socket.write(envelope.subarray(0, MIB / 4));
    await seen();
    await new Promise((resolve) => socket.write(envelope.subarray(MIB / 4), resolve));
    await seen();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*resource_exhausted/s);
  });
});

describe("a request to watch", () => {
  test.each(["application/grpc", "application/grpc-web", "application/connect+proto", "application/connect+json"])(
    "of many messages, as %s, is refused by the second one",
    async (type) => {
      const { headers, text } = await send(WATCH, new Uint8Array(MESSAGE_BYTES_MAX - 1), { "content-type": type });
      const message = decodeURIComponent(headers.get("grpc-message") ?? text);
      expect(message).toContain("body: must be one message; send each in a call of its own");
    },
  );

  test("without a message is rejected, and the error says so", async () => {
    const { headers } = await send(WATCH, "", { "content-type": "application/grpc" });
    expect(headers.get("grpc-status")).toBe(String(Code.InvalidArgument));
    expect(headers.get("grpc-message")).toContain("body: must be one message in its envelope, and is empty");
  });
});

describe("a stream of reflection", () => {
  const [grpc] = transports();
  if (grpc === undefined) throw new Error("no transport");
  const { serverReflectionInfo } = createClient(ServerReflection, grpc);

  /** Sends all requests at once, and returns the number of answers and the error that ended the stream. */
  async function reflect(count: number, value: string) {
    async function* questions() {
      for (let n = 0; n < count; n++) yield { messageRequest: { case: "fileByFilename" as const, value } };
    }
    let answers = 0;
    try {
      for await (const { messageResponse } of serverReflectionInfo(questions())) {
        if (messageResponse.case !== undefined) answers++;
      }
      return { answers };
    } catch (err) {
      return { answers, err: ConnectError.from(err) };
    }
  }

  test("answers 1,000 requests and no more, and the connection goes on", async () => {
    const file = "latchkey/v1/org.proto";
    expect(await reflect(QUESTIONS_MAX, file)).toEqual({ answers: QUESTIONS_MAX });
    const { answers, err } = await reflect(2 * QUESTIONS_MAX, file);
    expect(answers).toBe(QUESTIONS_MAX);
    expect(err?.code).toBe(Code.ResourceExhausted);
    expect(err?.message).toContain(`${QUESTIONS_MAX}`);
    expect(await reflect(1, file)).toEqual({ answers: 1 });
  });

  test("is read up to a quarter of a megabyte, and the connection goes on", async () => {
    const bytes = MESSAGE_BYTES_MAX - 100;
    const { answers, err } = await reflect(QUESTIONS_BYTES_MAX / MESSAGE_BYTES_MAX + 1, "x".repeat(bytes));
    expect(answers).toBeLessThanOrEqual(QUESTIONS_BYTES_MAX / bytes);
    expect(err?.code).toBe(Code.ResourceExhausted);
    expect(err?.message).toContain(`body: must be at most ${QUESTIONS_BYTES_MAX} bytes`);
    expect(await reflect(1, "x")).toEqual({ answers: 1 });
  });

  test("ends with its error although the client has more to send", async () => {
    const session = connectHttp2(latchkey.url);
    const stream = session.request({
      ":method": "POST",
      ":path": `/${ServerReflection.typeName}/ServerReflectionInfo`,
      "content-type": "application/grpc",
    });
    stream.resume().end(Buffer.alloc(MIB - 1));
    await once(stream, "close");
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
    session.close();
  });

  test("adds no listener for each answer while it waits for its client", async () => {
    const warnings: Error[] = [];
    const heed = (warning: Error): void => void warnings.push(warning);
    process.on("warning", heed);
    expect(await reflect(50, "buf/validate/validate.proto")).toEqual({ answers: 50 });
    process.off("warning", heed);
    expect(warnings).toEqual([]);
  });
});
