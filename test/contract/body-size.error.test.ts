// promise: json.text, errors.form, errors.messages, bodies.size, callers.order
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { KeyType } from "../../gen/latchkey/v1/api_key_pb.ts";
import { CreateApiKeyRequestSchema } from "../../gen/latchkey/v1/api_key_service_pb.ts";
import { bodySender, bytes } from "../harness/body-sender.ts";
import { expectFault, expectPublicMessage } from "../harness/error-answers.ts";
import type { Answer } from "../harness/http.ts";
import { dashboardOf, OIDC } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";

const CREATE = "/api/v1/api-keys/create";
const LIST = "/api/v1/api-keys/list";
const MIB = 1_048_576;

/** A request to create a key that expires in 2090, give or take. */
function expiringAt(fraction: { readonly nanos: number }): number[] {
  const expiresAt = { seconds: 3_786_912_000n, ...fraction };
  return [...toBinary(CreateApiKeyRequestSchema, create(CreateApiKeyRequestSchema, { ...VALID, expiresAt }))];
}
const VALID = { name: "a", permissions: ["plans:read"] };

const latchkey = await sharedLatchkey();

const send = bodySender(() => latchkey);

describe("depth", () => {
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);

  // threat: B15
  test.each([
    ["arrays as the body", deep("[", "]"), 400],
    ["unclosed arrays", "[".repeat(100_000), 400],
    ["objects as the body", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, 400],
    ["arrays in an unknown member", `{"x":${deep("[", "]")}}`, 400],
    ["arrays in a list of strings", `{"permissions":${deep("[", "]")}}`, 400],
    ["arrays in a string member", `{"name":${deep("[", "]")}}`, 400],
    ["objects in a message member", `{"rate_limit":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`, 400],
    ["arrays in a map", `{"publishableConfig":{"oidc":{"requiredClaims":{"a":${deep("[", "]")}}}}}`, 400],
  ])("100,000 %s are 400", async (_what, body, status) => {
    const answer = await send(CREATE, body);
    expectFault(answer, status, "invalid_argument");
    expect(answer.text.length).toBeLessThan(500);
  });

  // threat: B15
  test("100,000 deep in a member that list-threads does not know is 400", async () => {
    const answer = await send("/api/v1/llm/gateway/list-threads", `{"x":${deep("[", "]")}}`);
    expect(answer.status).toBe(400);
    expect((await send("/api/v1/llm/gateway/list-threads", "{}")).status).toBe(200);
  });

  test("2,000 members are 400, or 200 where any member is accepted", async () => {
    const members = Array.from({ length: 2_000 }, (_, i) => `"m${i}":1`).join(",");
    expectFault(await send(LIST, `{${members}}`), 400, "invalid_argument");
    expect((await send("/api/v1/llm/gateway/list-threads", `{${members}}`)).status).toBe(200);
  });
});

describe("size", () => {
  /** Eight times the limit once it is unpacked. */
  const bomb = gzipSync(Buffer.alloc(8 * MIB, " "));
  const padded = (size: number): string => `{${" ".repeat(size - 2)}}`;

  function expectTooLarge(answer: Answer): void {
    expectFault(answer, 413, "resource_exhausted");
    expect(answer.json.message).toContain(String(MIB));
    expect(answer.json).not.toHaveProperty("denial_reason");
    expect(answer.headers.get("retry-after")).toBeNull();
  }

  test("a body of 1 MiB is read", async () => {
    expect((await send(LIST, padded(MIB))).status).toBe(200);
  });

  test.each([LIST, CREATE, "/latchkey.v1.ApiKeyService/ListApiKeys", "/api/v1/llm/gateway/list-threads"])(
    "a body of 1 MiB and a byte to %s is 413, never 429",
    async (path) => {
      expectTooLarge(await send(path, padded(MIB + 1)));
    },
  );

  test("an API key's body of 1 MiB and a byte is 413", async () => {
    const { key } = await dashboardOf(latchkey).createKey();
    expectTooLarge(await send("/api/v1/llm/gateway/list-threads", padded(MIB + 1), { "x-api-key": key }));
  });

  test("a body without a Content-Length is measured as it comes", async () => {
    const chunk = new Uint8Array(65_536).fill(0x20);
    const stream = (chunks: number) =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(Buffer.from("{")));
          for (let i = 0; i < chunks; i++) controller.enqueue(chunk);
          controller.enqueue(new Uint8Array(Buffer.from("}")));
          controller.close();
        },
      });
    expect((await send(LIST, stream(15))).status).toBe(200);
    expectTooLarge(await send(LIST, stream(17)));
  });

  test("without credentials a body of any size is 401", async () => {
    for (const size of [MIB + 1, 4 * MIB]) {
      const answer = await send(LIST, padded(size), {});
      expect({ status: answer.status, reason: answer.json.denial_reason }).toEqual({
        status: 401,
        reason: "missing_credentials",
      });
    }
  });

  // threat: B14
  test("a body of 100 MB is 413, and the service lives and has not kept it", async () => {
    const chunk = new Uint8Array(MIB).fill(0x20);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        if (sent++ < 100) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const { arrayBuffers } = process.memoryUsage();
    expectTooLarge(await send(LIST, body));
    // The service runs in this process: had it collected the body, there would be another 100 MB of buffers.
    expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(64 * MIB);
    expect((await send(LIST, "{}")).status).toBe(200);
  });

  test("a body that is only declared to be too large is refused before it comes", async () => {
    const { authorization = "" } = await latchkey.dashboard();
    const head = [`POST ${LIST} HTTP/1.1`, "Host: x", "Content-Type: application/json", `Content-Length: ${MIB + 1}`];
    const request = [...head, `Authorization: ${authorization}`, "Connection: close", "", ""].join("\r\n");
    expect(await sendRaw(latchkey.url, request)).toMatch(/^HTTP\/1.1 413 /);
  });

  test("the connection of an oversize body serves the next request", async () => {
    const headers = await latchkey.dashboard();
    for (let i = 0; i < 5; i++) {
      expectTooLarge(await send(LIST, padded(2 * MIB), headers));
      expect((await send(LIST, "{}", headers)).status).toBe(200);
    }
  });

  // threat: B14
  test.each(["gzip", "br", "deflate", "zstd", "identity, gzip", "x"])(
    "a body encoded as %s is not unpacked, and the answer says what to change",
    async (encoding) => {
      for (const path of [LIST, "/latchkey.v1.ApiKeyService/ListApiKeys"]) {
        const headers = { ...(await latchkey.dashboard()), "content-encoding": encoding };
        const answer = await send(path, bomb, headers);
        expect(answer.status).toBe(415);
        expectPublicMessage(answer);
        expect(answer.json.message).toContain("Content-Encoding");
      }
    },
  );

  test.each(["identity", "Identity", "IDENTITY"])("a body encoded as %s is not encoded", async (encoding) => {
    for (const path of [LIST, "/latchkey.v1.ApiKeyService/ListApiKeys"]) {
      const headers = { ...(await latchkey.dashboard()), "content-encoding": encoding };
      expect((await send(path, "{}", headers)).status).toBe(200);
    }
  });
});

describe("a body in binary", () => {
  test.each([
    ["that ends early", [0x0a, 0x05, 0x61]],
    ["with a broken length", [0xff, 0xff]],
    ["with an invalid tag", [0x00]],
    ["with invalid UTF-8", [0x0a, 0x02, 0xff, 0xfe]],
    ["with a lone surrogate in UTF-8", [0x0a, 0x03, 0xed, 0xa0, 0x80]],
    ["with NUL in a string", [0x0a, 0x03, 0x61, 0x00, 0x62]],
    ["with an instant whose nanoseconds are beyond a second", expiringAt({ nanos: 1_000_000_000 })],
    ["with an instant whose nanoseconds are negative", expiringAt({ nanos: -1 })],
    ["that is JSON", [...Buffer.from('{"name":"a"}')]],
  ])("%s is 400, never 500", async (_what, body) => {
    const headers = { ...(await latchkey.dashboard()), "content-type": "application/proto" };
    for (const path of [CREATE, "/latchkey.v1.ApiKeyService/CreateApiKey"]) {
      const answer = await send(path, bytes(body), headers);
      expect({ status: answer.status, code: answer.json.code }).toEqual({ status: 400, code: "invalid_argument" });
      expectPublicMessage(answer);
    }
  });
});

/** As parsed from JSON: in a literal the name would set the prototype. */
const OF_PROTO = { ...OIDC, requiredClaims: JSON.parse('{"__proto__":"x"}') };

test.each([
  ["NUL", { name: "a\0b" }, { name: "a\0b" }],
  ["the year 9999", { expiresAt: { seconds: 253_370_764_800n } }, { expires_at: "9999-01-01T00:00:00Z" }],
  [
    "a required claim named __proto__",
    { keyType: KeyType.PUBLISHABLE, publishableConfig: { oidc: OF_PROTO } },
    { keyType: "KEY_TYPE_PUBLISHABLE", publishableConfig: { oidc: OF_PROTO } },
  ],
])("%s is refused in binary in the words of JSON", async (_what, fields, members) => {
  const binary = toBinary(CreateApiKeyRequestSchema, create(CreateApiKeyRequestSchema, { ...VALID, ...fields }));
  const headers = await latchkey.dashboard();
  const inJson = await send(CREATE, JSON.stringify({ ...VALID, ...members }), headers);
  expect(inJson.status).toBe(400);
  const inBinary = await send(CREATE, bytes([...binary]), { ...headers, "content-type": "application/proto" });
  expect(inBinary.json).toEqual(inJson.json);
});

test("NUL in a string is invalid_argument over gRPC-Web too, also before a frame of trailers", async () => {
  const message = [0x00, 0, 0, 0, 5, 0x0a, 0x03, 0x61, 0x00, 0x62];
  const trailers = [0x80, 0, 0, 0, 0];
  const headers = { ...(await latchkey.dashboard()), "content-type": "application/grpc-web+proto" };
  for (const body of [message, [...message, ...trailers]]) {
    const answer = await fetch(`${latchkey.url}/latchkey.v1.ApiKeyService/CreateApiKey`, {
      method: "POST",
      headers,
      body: bytes(body),
    });
    const received = [...answer.headers].map((header) => header.join(": ")).join("\n") + (await answer.text());
    expect(received).toMatch(new RegExp(`grpc-status: ${Code.InvalidArgument}\\b`));
    expect(received).toMatch(/grpc-message: name.*NUL/);
  }
});

describe("every fault", () => {
  // threat: H5
  test("is one JSON object with a code, a message and a request id, for every RPC", async () => {
    for (const path of [
      ...["create", "list", "get", "update", "revoke", "disable", "enable", "usage", "rotate"].map(
        (method) => `/api/v1/api-keys/${method}`,
      ),
      "/api/v1/llm/gateway/send-message",
      "/api/v1/llm/gateway/get-conversation-state",
      "/api/v1/orgs/create",
      "/api/v1/auth/verify",
    ]) {
      for (const body of ["", "null", "[]", '"x"', "{", '{"nonsense":1}', '{"a":1,"b":2}', "\u0000", '{"":1}']) {
        const answer = await send(path, body);
        expectFault(answer, 400, "invalid_argument");
        expect(answer.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
      }
    }
  });

  test("an unknown member without a name is still named", async () => {
    const { message } = (await send(LIST, '{"":1}')).json;
    expect(message).not.toMatch(/^:/);
  });
});
