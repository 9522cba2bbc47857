// promise: paths.exact
import { describe, expect, test } from "vitest";
import { bodySender } from "../harness/body-sender.ts";
import { expectFault, expectInvalid, expectPrecondition } from "../harness/error-answers.ts";
import { dashboardOf } from "../harness/key-management.ts";
import { sharedLatchkey } from "../harness/latchkey.ts";
import { sendRaw } from "../harness/raw-http.ts";
import { USER_MESSAGE } from "../harness/rpcs.ts";

/** Every message says what to change. */
const CREATE = "/api/v1/api-keys/create";
const ROTATE = "/api/v1/api-keys/rotate";
const SEND = "/api/v1/llm/gateway/send-message";
const STATE = "/api/v1/llm/gateway/get-conversation-state";

const latchkey = await sharedLatchkey();
const send = bodySender(() => latchkey);
const call = (path: string, body: object) => send(path, JSON.stringify(body));

describe("the message about invalid JSON names line and column", () => {
  test.each([
    ['{"page":1,}', "line 1, column 11"],
    ['{\n  "page": 1\n  "per_page": 2\n}', "line 3, column 3"],
    ["{'page':1}", "line 1, column 2"],
    ['{"page":1', "ends too early"],
  ])("%j", async (body, where) =>
    expectInvalid(await send("/api/v1/api-keys/list", body), "body", "valid JSON", where),
  );
});

describe("the message about a required member is one sentence, whether it is missing, empty or blank", () => {
  const name = "is required: 1 to 128 characters, at least one of them visible";
  const permissions = ["plans:read"];

  test.each([
    [CREATE, { permissions }, "name", name],
    [CREATE, { permissions, name: "" }, "name", name],
    [CREATE, { permissions, name: " \u200b" }, "name", name],
    ["/api/v1/orgs/create", {}, "name", name],
    ["/api/v1/orgs/create", { name: "\t" }, "name", name],
    [CREATE, { name: "a" }, "permissions", "is required: 1 to 64 scopes"],
    [ROTATE, {}, "key_id", "is required: the identifier of a key, key_..."],
    [SEND, { user_message: USER_MESSAGE }, "conversation_key", "is required: 1 to 256 characters"],
    [SEND, { conversation_key: "c" }, "user_message", "is required: the message, with its role and content"],
    [
      SEND,
      { conversation_key: "c", user_message: { role: "ROLE_USER" } },
      "user_message.content",
      "is required: 1 to 32 items",
    ],
  ])("%s %j", async (path, body, field, says) => {
    const answer = await call(path, body);
    expectInvalid(answer, field);
    expect(answer.json.message).toBe(`${field}: ${says}`);
  });
});

describe("an integer", () => {
  test.each([
    ["0x10", "must be an integer from 0 to 720; a string must hold plain decimal digits"],
    ["", "must be an integer from 0 to 720; a string must hold plain decimal digits"],
    ["9999999999", "must be an integer from 0 to 720, not 9999999999"],
    [721, "must be an integer from 0 to 720"],
    ["721", "must be an integer from 0 to 720"],
    [true, "must be an integer from 0 to 720, not a boolean"],
  ])("of %j is 400, and the message says what it must be", async (hours, says) => {
    const answer = await call(ROTATE, { key_id: "key_x", grace_period_hours: hours });
    expectInvalid(answer, "grace_period_hours");
    expect(answer.json.message).toBe(`grace_period_hours: ${says}`);
  });
});

test("the message about a scope that no publishable key can hold says what to do", async () => {
  const body = { name: "a", keyType: "KEY_TYPE_PUBLISHABLE", permissions: ["billing:read"] };
  expectInvalid(await call(CREATE, body), "permissions[0]", "remove it, or use a secret key");
});

test("the message about too many parts says to send fewer", async () => {
  expectInvalid(await send(CREATE, `[${"0,".repeat(6_000)}0]`), "body", "5000", "send fewer members or items");
});

test("the message about a rotated key names the successor to rotate, and after a revocation it names that first", async () => {
  const dashboard = dashboardOf(latchkey);
  const { key_id } = await dashboard.createKey();
  const successor = await dashboard.result("rotate", { key_id });
  const rotateThat = `its successor is ${successor.key_id}, rotate that one`;
  expectPrecondition(await dashboard.call("rotate", { key_id }), "key_id", "was rotated already", rotateThat);
  await dashboard.result("revoke", { key_id });
  const answer = await dashboard.call("rotate", { key_id });
  expectPrecondition(answer, "key_id", "the key was revoked, and rotated before", rotateThat);
});

test("the message about an unknown before_message_id says where to take it from", async () => {
  const conversation_key = crypto.randomUUID();
  const headers = await latchkey.dashboard();
  await latchkey.call(SEND, { conversation_key, user_message: USER_MESSAGE }, headers);
  const answer = await latchkey.call(STATE, { conversation_key, before_message_id: "msg_x" }, headers);
  expectInvalid(answer, "before_message_id", "take it from next_before_message_id");
});

test("the message about an unknown parameter of /auth/check names it", async () => {
  const { key } = await latchkey.createKey(await latchkey.dashboard());
  const response = await fetch(`${latchkey.url}/auth/check?scopes=plans:read`, { headers: { "x-api-key": key } });
  expect(await response.json()).toMatchObject({
    message:
      'query: has the unknown parameter "scopes"; it takes scope=domain:action, once or more, cost=, once, and at its end path=',
  });
});

describe("an unknown path", () => {
  test.each([
    ["/api/v1/api-keys/create/", CREATE],
    ["/API/v1/api-keys/Create", CREATE],
    ["/api-keys/create", CREATE],
    ["/api-keys/create//", CREATE],
    ["/healthz/", "/healthz"],
    ["/Auth/Check", "/auth/check"],
    ["/api/v1//api-keys/create", CREATE],
    ["/x/api/v1/api-keys/create", CREATE],
  ])("%s is 404, and the message suggests %s", async (path, meant) => {
    const answer = await latchkey.call(path, {});
    expectFault(answer, 404, "not_found");
    expect(answer.json.message).toContain(`did you mean ${meant}?`);
  });

  test.each(["/", "//", "/api/v1/api-keys", "/api/v1/api-keys/key_x", "/constructor"])(
    "%s, which resembles no path, is 404 with the place where all are listed",
    async (path) => {
      const answer = await latchkey.call(path, {});
      expectFault(answer, 404, "not_found");
      expect(answer.json.message).toContain("/openapi.json");
    },
  );
});

describe("the message about malformed HTTP/1.1 names the faulty part", () => {
  const POST = "POST / HTTP/1.1\r\nHost: x\r\n";

  test.each([
    ["post / HTTP/1.1\r\n\r\n", "method"],
    ["POST /a b HTTP/1.1\r\n\r\n", "path without spaces"],
    ["POST /\u00e9 HTTP/1.1\r\n\r\n", "percent-encode"],
    ["POST / HTTP/3.0\r\n\r\n", "HTTP/1.1 or HTTP/1.0"],
    [`${POST}A b: c\r\n\r\n`, "header field"],
    [`${POST}A: \u0001\r\n\r\n`, "header field"],
    [`${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n`, "Content-Length: must be there once"],
    [`${POST}Content-Length: abc\r\n\r\n`, "Content-Length: must be digits"],
    [`${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`, "send one of the two"],
    [`${POST}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n`, "send one of the two"],
    [`${POST}Transfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\n`, "send one of the two"],
    [`${POST}Transfer-Encoding: chunked, gzip\r\n\r\n`, "must be chunked, or absent"],
    [`${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, "chunk"],
  ])("%j", async (bytes, says) => {
    const answer = await sendRaw(latchkey.url, Buffer.from(bytes, "latin1"));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    const { code, message } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
    expect({ code, message }).toEqual({ code: "invalid_argument", message: expect.stringContaining(says) });
  });
});
