// promise: answers.request-id
import { expect, test } from "vitest";
import { postHttp2 } from "../harness/http2-client.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";

const LIST = "/api/v1/llm/gateway/list-threads";
const NEW_KEY = { name: "a key", permissions: ["plans:read"] };

const latchkey = await sharedLatchkey();

async function answeredId(sent?: string): Promise<string | null> {
  const answer = await latchkey.call(LIST, {}, sent === undefined ? {} : { "x-request-id": sent });
  return answer.headers.get("x-request-id");
}

function linesOf(id: string | undefined): unknown[] {
  return latchkey.logLines.map((line) => JSON.parse(line)).filter((line) => line.request_id === id);
}

test.each(["a", "7f3c-11.B_x", "x".repeat(128)])("the request id %j is used, and logged", async (id) => {
  expect(await answeredId(id)).toBe(id);
  expect(linesOf(id)).toHaveLength(1);
});

test.each(["", "a b", "a/b", "ä", "x".repeat(129), `sk_${"a".repeat(36)}`, undefined])(
  "for the request id %j a new one is made",
  async (id) => {
    expect(await answeredId(id)).toMatch(/^req_[0-9a-f]{32}$/);
  },
);

test("for one that looks like a credential, or a part of one, too: it would stay in logs and in audit events", async () => {
  const { tenant, createKey } = dashboardOf(latchkey);
  const { key } = await createKey();
  const user = await latchkey.dashboard(tenant);
  const token = user.authorization?.slice("Bearer ".length) ?? "";
  const line = latchkey.logLines.length;
  for (const id of [
    key,
    key.slice(0, 38),
    key.slice(1),
    key.slice(0, 20),
    token.slice(0, 128),
    `inv_${"a".repeat(43)}`,
  ]) {
    const { headers } = await latchkey.call("/api/v1/api-keys/create", NEW_KEY, { ...user, "x-request-id": id });
    expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  }
  const kept = await latchkey.call("/api/v1/audit/list", {}, user);
  expect(kept.json.events).toHaveLength(7);
  const seen = kept.text + latchkey.logLines.slice(line).join("");
  for (const part of [key.slice(3, 19), token.slice(0, 16), "inv_a"]) expect(seen).not.toContain(part);
});

test.each([
  ["what is no HTTP", 400, "NOPE\r\n\r\n"],
  ["a request without a Host", 400, `POST ${LIST} HTTP/1.1\r\nConnection: close\r\n\r\n`],
  ["an unknown Expect", 417, `POST ${LIST} HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n`],
  ["headers beyond the limit", 431, `POST ${LIST} HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(20_000)}\r\n\r\n`],
  ["CONNECT", 405, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"],
])("%s, which no handler sees, is %i with an id, and a line in the log", async (_what, status, bytes) => {
  const answer = await sendRaw(latchkey.url, bytes);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const [, id] = /^x-request-id: (req_[0-9a-f]{32})\r$/im.exec(answer) ?? [];
  expect(linesOf(id)).toEqual([expect.objectContaining({ status, msg: "request" })]);
});

test("a field that HTTP/2 forbids does not change the request's id", async () => {
  const { status, headers } = await postHttp2(latchkey.url, LIST, {}, { "x-request-id": "mine-1", a: "b " });
  expect([status, headers["x-request-id"]]).toEqual([400, "mine-1"]);
  expect(linesOf("mine-1")).toEqual([expect.objectContaining({ status: 400, path: LIST })]);
});
