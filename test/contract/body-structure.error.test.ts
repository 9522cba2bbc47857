// promise: bodies.parts
import { create, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ImportApiKeysRequestSchema } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { VerifyRequestSchema } from "../../gen/latchkey/v1/auth_service_pb.ts";
import { SendMessageRequestSchema } from "../../gen/latchkey/v1/gateway_service_pb.ts";
import { bodySender } from "../harness/body-sender.ts";
import { expectInvalid } from "../harness/error-answers.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";

/** Bodies within 1 MiB that would take a process hundreds of milliseconds to make messages of. */
const THREADS = "/latchkey.v1.GatewayService/ListThreads";
const SEND = "/latchkey.v1.GatewayService/SendMessage";
const VERIFY = "/latchkey.v1.AuthService/Verify";
const CREATE = "/latchkey.v1.ApiKeyService/CreateApiKey";
const PARTS_MAX = 5_000;
const WAYS = [
  ["the lean path", {}],
  ["the lean path with a deadline", { "connect-timeout-ms": "60000" }],
] as const;

const latchkey = await sharedLatchkey();
const headers = await latchkey.dashboard();

const send = bodySender(() => latchkey);

describe.each(WAYS)("through %s a body in JSON", (_way, more) => {
  const call = (path: string, body: string) => send(path, body, { ...headers, ...more });

  test("may have 5,000 structural characters, and no more", async () => {
    // The three before the first number, and the commas after it.
    const numbers = (count: number) => `{"x":[${"0,".repeat(count - 3)}0]}`;
    expect((await call(THREADS, numbers(PARTS_MAX))).status).toBe(200);
    expectInvalid(await call(THREADS, numbers(PARTS_MAX + 1)), "body", String(PARTS_MAX));
  });

  test.each([
    ["lists in lists", `{"x":${"[".repeat(PARTS_MAX)}${"]".repeat(PARTS_MAX)}}`],
    ["objects in objects", `${'{"x":'.repeat(PARTS_MAX / 2)}{}${"}".repeat(PARTS_MAX / 2)}`],
    ["members", `{${Array.from({ length: PARTS_MAX / 2 }, (_, i) => `"k${i}":1`).join()},"k":1}`],
    ["lists that never end", "[".repeat(1_000_000)],
    ["texts with escaped quotes between", `{"x":[${String.raw`"\\",`.repeat(PARTS_MAX)}1]}`],
  ])("of %s is rejected by the limit of parts", async (_what, body) => {
    expectInvalid(await call(THREADS, body), "body", String(PARTS_MAX));
  });

  test("may have a text of 32 KiB of punctuation", async () => {
    const content = `{[,:"\\`.repeat(6_000).slice(0, 32_768);
    const user_message = { ...USER_MESSAGE, content: [{ ...USER_MESSAGE.content[0], content }] };
    const conversation_key = crypto.randomUUID();
    expect((await call(SEND, JSON.stringify({ conversation_key, user_message }))).status).toBe(200);
    const state = await call("/latchkey.v1.GatewayService/GetConversationState", JSON.stringify({ conversation_key }));
    expect(state.json.messages[0].content[0].content).toBe(content);
  });
});

const scopes = (count: number) =>
  toBinary(VerifyRequestSchema, create(VerifyRequestSchema, { scopes: many("", count) }));
const many = <T>(item: T, count: number): T[] => Array.from({ length: count }, () => item);
const nested = (field: number, message: Uint8Array): Buffer => {
  const length = message.byteLength;
  return Buffer.concat([
    Buffer.from([(field << 3) | 2, 0x80 | (length & 0x7f), 0x80 | ((length >> 7) & 0x7f), length >> 14]),
    message,
  ]);
};
const repeated = (bytes: number[], count: number): Buffer => Buffer.alloc(bytes.length * count, Buffer.from(bytes));

describe.each(WAYS)("through %s a body in binary", (_way, more) => {
  const call = (path: string, body: Uint8Array) =>
    send(path, new Uint8Array(body), { ...headers, "content-type": "application/proto", ...more });

  test("may have 5,000 fields, and no more", async () => {
    // Verify takes 64 scopes, which it says once the body has been read.
    expectInvalid(await call(VERIFY, scopes(PARTS_MAX)), "scopes", "64");
    expectInvalid(await call(VERIFY, scopes(PARTS_MAX + 1)), "body", String(PARTS_MAX));
  });

  test.each([
    ["parts of a message", SEND, nested(2, repeated([0x12, 0], 500_000))],
    ["claims of a key", CREATE, nested(7, nested(1, repeated([0x2a, 0], 500_000)))],
    ["keys of one claim", CREATE, nested(7, nested(1, nested(5, repeated([0x0a, 0], 500_000))))],
    ["unknown fields", VERIFY, repeated([0x7a, 0], 500_000)],
    ["unknown groups", VERIFY, repeated([0x7b, 0x7c], 500_000)],
    ["fields in an unknown group", VERIFY, Buffer.concat([Buffer.from([0x7b]), repeated([0x08, 1], 500_000)])],
  ])("of %s is rejected by the limit of parts", async (_what, path, body) => {
    expectInvalid(await call(path, body), "body", String(PARTS_MAX));
  });

  test("may have a text of 32 KiB that looks like fields, also in a field or a group that is unknown", async () => {
    const content = "\n\0".repeat(16_384).replaceAll("\0", "\u0001");
    const message = create(SendMessageRequestSchema, {
      conversationKey: crypto.randomUUID(),
      userMessage: { role: 1, content: [{ type: 1, content }] },
    });
    const text = Buffer.from(content);
    const group = [Buffer.from([0x7b]), nested(2, text), Buffer.from([0x7c])];
    const body = Buffer.concat([toBinary(SendMessageRequestSchema, message), nested(15, text), ...group]);
    expect((await call(SEND, body)).status).toBe(200);
  });
});

describe("an import", () => {
  const rows = (scopes: number) => ({
    dry_run: true,
    keys: many({ name: "a", permissions: many("plans:read", scopes), key: "x" }, 1_000),
  });
  const call = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
    send("/latchkey.v1.ApiKeyService/ImportApiKeys", body, { ...headers, "content-type": `application/${type}` });
  const binary = (message: object) =>
    new Uint8Array(toBinary(ImportApiKeysRequestSchema, fromJson(ImportApiKeysRequestSchema, message as JsonObject)));

  test.each([
    ["json", JSON.stringify(rows(40)), JSON.stringify(rows(50))],
    ["proto", binary(rows(40)), binary(rows(50))],
  ])("may have 1,000 rows of 50 parts in %s, and no more", async (type, most, more) => {
    expect((await call(most, type)).status).toBe(200);
    expectInvalid(await call(more, type), "body", "50000");
  });
});

describe("in gRPC-Web", () => {
  const envelope = (message: Uint8Array, flags = 0): Buffer => {
    const head = Buffer.from([flags, 0, 0, 0, 0]);
    head.writeUInt32BE(message.byteLength, 1);
    return Buffer.concat([head, message]);
  };
  const trailers = envelope(Buffer.alloc(0), 0x80);
  const call = async (body: Uint8Array): Promise<string> => {
    const response = await fetch(latchkey.url + VERIFY, {
      method: "POST",
      headers: { ...headers, "content-type": "application/grpc-web+proto" },
      body: new Uint8Array(body),
    });
    const received = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\r\n");
    return decodeURIComponent(`${received}\r\n${await response.text()}`);
  };

  test.each([
    ["alone", envelope(scopes(PARTS_MAX + 1))],
    ["with trailers", Buffer.concat([envelope(scopes(PARTS_MAX + 1)), trailers])],
  ])("a message of too many fields is refused %s", async (_what, body) => {
    expect(await call(body)).toMatch(/grpc-message: body: must have at most 5000 fields/);
  });

  test("a second message is rejected without being parsed", async () => {
    const two = Buffer.concat([envelope(scopes(1)), envelope(scopes(PARTS_MAX + 1))]);
    expect(await call(two)).toMatch(/grpc-message: body: must be one message/);
  });

  test("a message with trailers is read", async () => {
    expect(await call(Buffer.concat([envelope(Buffer.alloc(0)), trailers]))).toMatch(/grpc-status: 0\b/);
  });

  test.each([
    ["trailers", repeated([...trailers], 200_000)],
    ["messages", repeated([0, 0, 0, 0, 0], 200_000)],
    ["trailers after a message", Buffer.concat([envelope(scopes(1)), repeated([...trailers], 200_000)])],
  ])("200,000 empty %s are refused as not one message", async (_what, body) => {
    expect(await call(body)).toMatch(/grpc-message: body: must be one message/);
  });
});
