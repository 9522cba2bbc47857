// promise: bodies.type, paths.probes, paths.deadline
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

describe("a call whose deadline has passed before its message is checked", () => {
  const LATE = {
    code: "deadline_exceeded",
    reason: "deadline_passed",
    message:
      "The call's deadline passed before its answer; whether it took effect is not known: read before you repeat it, or allow it more time.",
    details: [{ type: "latchkey.v1.ErrorInfo", value: "CFs", debug: { reason: "ERROR_REASON_DEADLINE_PASSED" } }],
  };
  const CREATE = "/api/v1/api-keys/create";
  const send = (path: string, body: unknown, headers: Record<string, string>) =>
    latchkey.call(path, body, { "connect-timeout-ms": "0", ...headers });

  // threat: B21
  test.each([VERIFY, PROCEDURE])("is 504 on %s, and has spent a request", async (path) => {
    const limited = await latchkey.createKey(await latchkey.dashboard(), { rate_limit: { requests_per_minute: 9 } });
    const answer = await send(path, {}, { "x-api-key": limited.key });
    expect(answer.status).toBe(504);
    expect(answer.json).toEqual(LATE);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("8");
    expect(answer.headers.get("retry-after")).toBeNull();
  });

  test("is 504 for a message in binary, with an error in JSON", async () => {
    const headers = { "x-api-key": key, "connect-timeout-ms": "0", "content-type": "application/proto" };
    const response = await fetch(latchkey.url + PROCEDURE, { method: "POST", headers });
    expect([response.status, response.headers.get("content-type")]).toEqual([504, "application/json"]);
    expect(await response.json()).toEqual(LATE);
  });

  test("is denied first, and its headers and the form of its body are checked first", async () => {
    const version = { "x-api-key": key, "connect-protocol-version": "2" };
    expect((await send(VERIFY, "{", {})).json.denial_reason).toBe("missing_credentials");
    expect((await send(VERIFY, "{", { "x-api-key": key })).json.reason).toBe("malformed_body");
    expect((await send(VERIFY, '{"nope":1}', { "x-api-key": key })).json.reason).toBe("unknown_member");
    expect((await send(VERIFY, {}, version)).json.reason).toBe("invalid_header");
    expect((await send(VERIFY, {}, { "x-api-key": key, "content-encoding": "gzip" })).status).toBe(415);
  });

  test("is 504 before its values are checked, and never begins", async () => {
    const dashboard = await latchkey.dashboard();
    for (const body of [{ name: "late", permissions: ["*"], keyType: "KEY_TYPE_SECRET" }, { name: "" }]) {
      const answer = await send(CREATE, body, dashboard);
      expect([answer.status, answer.json]).toEqual([504, LATE]);
    }
    const list = await latchkey.call("/api/v1/api-keys/list", {}, dashboard);
    expect(list.status).toBe(200);
    expect(list.text).not.toContain("late");
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

  // threat: B16
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

// threat: B16
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

test.each([VERIFY, PROCEDURE])("a GET of %s is 405, although the RPC has no side effects", async (path) => {
  const query = new URLSearchParams({ connect: "v1", encoding: "json", message: "{}" });
  const answer = await fetch(`${latchkey.url}${path}?${query}`, { headers: { "X-API-Key": key } });
  expect({ status: answer.status, allow: answer.headers.get("allow") }).toEqual({ status: 405, allow: "POST" });
});
