import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";

const VERIFY = "/api/v1/auth/verify";
const PROCEDURE = "/latchkey.v1.AuthService/Verify";

const latchkey = await sharedLatchkey();
const { key } = await latchkey.createKey(await latchkey.dashboard());

/** How a gRPC call of Verify with these bytes ends: the code and the message that grpc-js shows. */
function callGrpc(path: string, message: Buffer, secret: string, timeout: string): Promise<[number, string]> {
  const client = new Client(new URL(latchkey.url).host, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("x-api-key", secret);
  if (timeout !== "") metadata.set("grpc-timeout", timeout);
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, message, metadata, (err: ServiceError | null) => {
      client.close();
      resolve([err?.code ?? 0, err?.details ?? ""]);
    });
  });
}

describe("a deadline", () => {
  test.each(["61S", "300S", "2H", "99999999H", "30S"])("of %s does not end a quick call over gRPC", async (timeout) => {
    expect(await callGrpc(PROCEDURE, Buffer.alloc(0), key, timeout)).toEqual([0, ""]);
  });

  test.each(["60001", "9999999999", "30000"])("of %s ms does not end a quick call over Connect", async (timeout) => {
    for (const path of [VERIFY, PROCEDURE]) {
      const answer = await latchkey.call(path, {}, { "x-api-key": key, "connect-timeout-ms": timeout });
      expect(answer.status).toBe(200);
    }
  });
});

test("an error message over gRPC is readable by a client with minimal percent-decoding", async () => {
  const keyId = Buffer.from([0x2a, 1, 0x61]);
  const [code, message] = await callGrpc(PROCEDURE, keyId, key, "");
  expect({ code, message }).toEqual({ code: 3, message: expect.stringMatching(/^key_id: is only for explain;/) });
});

describe("JSON in UTF-8", () => {
  test.each([
    "application/json",
    "application/json;charset=utf-8",
    "application/json; charset=UTF-8",
    'application/json;charset="utf-8"',
    'Application/JSON ; Charset="UTF-8"',
    "application/json;",
  ])("may have the type %s, on every path", async (type) => {
    const headers = { "x-api-key": key, "content-type": type };
    for (const more of [{}, { "connect-timeout-ms": "5000" }]) {
      for (const path of [VERIFY, PROCEDURE]) {
        expect((await latchkey.call(path, {}, { ...headers, ...more })).status).toBe(200);
      }
    }
  });

  test.each([
    "application/json; charset=utf-16",
    'application/json; charset="utf-8',
    "application/json; version=1",
    "application/jsonx",
    "application/json, application/json",
    // Members that every object has.
    "constructor",
    "toString",
    "__proto__",
  ])("may not have the type %s", async (type) => {
    expect((await latchkey.call(VERIFY, {}, { "x-api-key": key, "content-type": type })).status).toBe(415);
  });
});

test.each([
  ["application/json", "text/plain"],
  ["text/plain", "application/json"],
  ["application/json", "application/json"],
])("a body with the two types %s and %s is 415", async (first, second) => {
  const head = `POST ${VERIFY} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${key}\r\nContent-Length: 2\r\n`;
  const answer = await sendRaw(latchkey.url, `${head}Content-Type: ${first}\r\nContent-Type: ${second}\r\n\r\n{}`);
  expect(answer).toMatch(/^HTTP\/1\.1 415 .*"Content-Type: must be /s);
});

test.each(["/healthz", "/readyz", "/metrics", "/openapi.json"])("a POST of %s is 405 and names GET", async (path) => {
  const answer = await latchkey.call(path, {});
  expect({ status: answer.status, allow: answer.headers.get("allow") }).toEqual({ status: 405, allow: "GET, HEAD" });
  expect(answer.json).toMatchObject({ code: "unimplemented", message: expect.stringContaining("GET") });
});
