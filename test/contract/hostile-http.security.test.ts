import { afterAll, beforeAll, expect, test } from "vitest";
import { type Latchkey, startLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await startLatchkey();
});

afterAll(() => latchkey.close());

const LIST = "POST /api/v1/api-keys/list HTTP";

test.each([
  ["a broken Host", `${LIST}/1.1\r\nHost: [\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`, 400],
  ["a Host with an impossible port", `${LIST}/1.1\r\nHost: a:99999\r\nConnection: close\r\n\r\n`, 401],
  ["HTTP/1.0 without Host", `${LIST}/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`, 401],
  ["a path that is no URL", "POST //[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404],
  ["bytes that are no HTTP", "GARBAGE\r\n\r\n", 400],
  ["both lengths", `${LIST}/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ["129 fields", `${LIST}/1.1\r\nHost: x\r\n${"a: b\r\n".repeat(127)}Connection: close\r\n\r\n`, 431],
  ["128 fields", `${LIST}/1.1\r\nHost: x\r\n${"a: b\r\n".repeat(126)}Connection: close\r\n\r\n`, 401],
  ["a head of 20 KB", `${LIST}/1.1\r\nHost: x\r\nX-API-Key: ${"a".repeat(20_000)}\r\n\r\n`, 431],
])("%s is answered with a JSON error, and the process lives", async (_what, request, status) => {
  const answer = await sendRaw(latchkey.url, request);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const body: unknown = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
  expect(body).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  expect((await fetch(`${latchkey.url}/healthz`)).status).toBe(200);
});

test("a body of 100 MB is answered 413, and the process lives", async () => {
  const headers = { ...(await latchkey.dashboard()), "content-type": "application/json" };
  const response = await fetch(`${latchkey.url}/api/v1/api-keys/list`, {
    method: "POST",
    headers,
    body: Buffer.alloc(100_000_000, " "),
  });
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ code: "resource_exhausted", message: expect.stringContaining("body") });
  expect((await fetch(`${latchkey.url}/readyz`)).status).toBe(200);
});
