import { describe, expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";

/** Requests that no generated client makes. */

const latchkey = await sharedLatchkey();
const { key } = await latchkey.createKey(await latchkey.dashboard());

const PATH = "/latchkey.v1.GatewayService/SendMessage";

/** A message in the envelope of gRPC and gRPC-Web. */
function envelope(message: string, { flags = 0, length = Buffer.byteLength(message) } = {}): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, Buffer.from(message)]);
}

async function send(contentType: string, body: Uint8Array<ArrayBufferLike> | string) {
  const response = await fetch(latchkey.url + PATH, {
    method: "POST",
    headers: { "content-type": contentType, "x-api-key": key },
    body: typeof body === "string" ? body : Buffer.from(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("a message in gRPC-Web", () => {
  test.each([
    ["an unknown member", "application/grpc-web+json", envelope('{"nope":1}'), "nope"],
    [
      "a duplicate member",
      "application/grpc-web+json",
      envelope('{"conversation_key":"a","conversation_key":"b"}'),
      "conversation_key",
    ],
    ["bytes that are no message", "application/grpc-web+proto", envelope("\xff\xff\xff"), "body"],
    ["bytes that are no message, of no named format", "application/grpc-web", envelope("\xff\xff\xff"), "body"],
  ])("with %s is rejected as over Connect, and the fault is named", async (_what, type, body, named) => {
    const { status, text } = await send(type, body);
    expect(status).toBe(200);
    expect(text).toMatch(/grpc-status: 3\r/);
    expect(decodeURIComponent(/grpc-message: (.*)\r/.exec(text)?.[1] ?? "").toLowerCase()).toContain(named);
  });

  test.each([
    ["that is shorter than it says", envelope("{}", { length: 3 }), "ends within a message"],
    ["that says to be 4 GiB", envelope("{}", { length: 0xffff_ffff }), "ends within a message"],
    ["that is compressed", envelope("{}", { flags: 1 }), "must not be compressed"],
    ["that is cut off", Buffer.from([0, 0]), "ends within a message"],
    ["that is not there", Buffer.alloc(0), "must be one message"],
    ["that is nothing but trailers", envelope("", { flags: 0x80 }), "must be one message"],
    ["followed by another one", Buffer.concat([envelope("{}"), envelope("{}")]), "must be one message"],
  ])("%s is rejected with our message, as the caller's fault", async (_what, body, says) => {
    const { status, text } = await send("application/grpc-web+json", body);
    expect(status).toBe(200);
    expect(text).toMatch(/grpc-status: 3\r/);
    expect(decodeURIComponent(/grpc-message: (.*)\r/.exec(text)?.[1] ?? "")).toMatch(new RegExp(`^body: ${says}`));
    expect((await fetch(`${latchkey.url}/healthz`)).status).toBe(200);
  });
});

test.each([
  "application/connect+json",
  "application/connect+proto",
  "application/grpc-web-text",
  "application/grpc-webx",
])("the type %s is 415 with a body and the limit headers", async (type) => {
  const { status, headers, text } = await send(type, "{}");
  expect(status).toBe(415);
  expect(JSON.parse(text)).toMatchObject({
    code: "invalid_argument",
    message: expect.stringMatching(/^Content-Type: .* except gRPC-Web's text mode/),
  });
  expect(headers.get("x-ratelimit-limit")).toBe("2147483647");
});

// threat: K16
test("HTTP/1.0 has the same answers", async () => {
  const head = `POST ${PATH} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\nX-API-Key: sk_unknown\r\n\r\n`;
  const answer = await sendRaw(latchkey.url, `${head}{}`);
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
  expect(answer).toContain('"denial_reason":"api_key_not_found"');
});
