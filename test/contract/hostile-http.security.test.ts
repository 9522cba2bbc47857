import { beforeAll, expect, test } from "vitest";
import { type Latchkey, sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";

let latchkey: Latchkey;

beforeAll(async () => {
  latchkey = await sharedLatchkey();
});

const LIST = "POST /api/v1/api-keys/list HTTP";

// threat: H1
test.each([
  ["a broken Host", `${LIST}/1.1\r\nHost: [\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`, 400],
  ["a Host with an impossible port", `${LIST}/1.1\r\nHost: a:99999\r\nConnection: close\r\n\r\n`, 401],
  ["HTTP/1.0 without Host", `${LIST}/1.0\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`, 401],
  ["a path that is no URL", "POST //[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404],
  ["bytes that are no HTTP", "GARBAGE\r\n\r\n", 400],
  ["both lengths", `${LIST}/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ["two lengths", `${LIST}/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
  ["a list of lengths", `${LIST}/1.1\r\nHost: x\r\nContent-Length: 2, 2\r\n\r\n{}`, 400],
  ["a length with a sign", `${LIST}/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n{}`, 400],
  ["two codings", `${LIST}/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n`, 400],
  [
    "a chunk's size with a space",
    `${LIST}/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2 \r\n{}\r\n0\r\n\r\n`,
    400,
  ],
  ["a broken chunk", `${LIST}/1.1\r\nHost: x\r\nX-API-Key: sk_x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
  ["one where none is read", "GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400],
  ["129 fields", `${LIST}/1.1\r\nHost: x\r\n${"a: b\r\n".repeat(127)}Connection: close\r\n\r\n`, 431],
  ["128 fields", `${LIST}/1.1\r\nHost: x\r\n${"a: b\r\n".repeat(126)}Connection: close\r\n\r\n`, 401],
  ["a head of 20 KB", `${LIST}/1.1\r\nHost: x\r\nX-API-Key: ${"a".repeat(20_000)}\r\n\r\n`, 431],
])("%s is answered with a JSON error, and the service goes on", async (_what, request, status) => {
  const answer = await sendRaw(latchkey.url, request);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const body: unknown = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
  expect(body).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  expect((await fetch(`${latchkey.url}/healthz`)).status).toBe(200);
});

test("hundreds of pipelined requests are all answered in order", async () => {
  const ids = Array.from({ length: 300 }, (_, n) => `r${n}`);
  const requestWith = (id: string, more = "") =>
    `GET /readyz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n${more}\r\n`;
  const answer = await sendRaw(
    latchkey.url,
    ids.map((id) => requestWith(id)).join("") + requestWith("last", "Connection: close\r\n"),
  );
  expect([...answer.matchAll(/^x-request-id: (.*)\r$/gim)].map(([, id]) => id)).toEqual([...ids, "last"]);
  expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(ids.length + 1);
});

test("a call pipelined after a request that ends the connection does not count as a use of its key", async () => {
  const dashboard = await latchkey.dashboard();
  const { key, key_id } = await latchkey.createKey(dashboard);
  const refused = "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n";
  const head = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 2";
  const call = `POST /api/v1/llm/gateway/list-threads HTTP/1.1\r\n${head}\r\nX-API-Key: ${key}\r\n\r\n{}`;
  expect(await sendRaw(latchkey.url, refused + call)).toMatch(/^HTTP\/1\.1 400 /);
  const usage = await latchkey.call("/api/v1/api-keys/usage", { key_id }, dashboard);
  expect(usage.json.result.total_verifications).toBe(0);
});
